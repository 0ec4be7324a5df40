// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: what samples cannot see, since they are taken on a CPU only. Measures
// how long a thread was off its CPU and yet not asleep, as the VM's own accounts of its schedulers
// count it.
#pragma once

#include "shared.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct off_cpu_time);
} off_cpu SEC(".maps");

// Of the kernel's own; where the fields are is told by its BTF when the program is loaded.
struct pid;
struct task_struct {
  int tgid;
  struct pid* thread_pid;
  unsigned long nivcsw;
} __attribute__((preserve_access_index));

// What a scheduler says of itself: ERTS_SSI_FLG_* (erts/emulator/beam/erl_process.h, OTP 25 and
// 27).
enum { ssi_poll_sleeping = 1 << 1, ssi_tse_sleeping = 1 << 2, ssi_waiting = 1 << 3 };
// ns: the kernel's sampling timer runs no shorter (perf_swevent_start_hrtimer); a thread that spins
// and yields, and has its CPU back for less than that, would be sampled only once it works again.
enum { shortest_sampled = 10000 };
enum { no_system_call = -1, call_sched_yield = 24 };

// As the VM's own accounts have it: asleep is what blocks after it has said how it sleeps. In
// scheduler_wait (erl_process.c) it spins, now and then by sched_yield; other system calls that it
// leaves the CPU in there are those of aux work, which wakes other threads.
static __always_inline u32 how_it_leaves(const struct watched_thread* thread,
                                         struct task_struct* task, bool preempted) {
  u32 flags = 0;
  if (thread->sleep_flags == 0 ||
      bpf_probe_read_user(&flags, sizeof flags, (void*)thread->sleep_flags) != 0)
    return preempted ? left_working : left_to_sleep;
  if (flags & (ssi_poll_sleeping | ssi_tse_sleeping)) return left_to_sleep;
  if (!(flags & ssi_waiting)) {
    if (user_word(thread->scheduler_data + vm.current_port) != 0) return left_in_port;
    if (user_word(thread->scheduler_data + vm.current_nif) != 0) return left_in_nif;
    return left_working;
  }
  const struct pt_regs* user = (const struct pt_regs*)bpf_task_pt_regs(task);
  long call = no_system_call;
  bpf_probe_read_kernel(&call, sizeof call, &user->orig_rax);
  return preempted && call >= 0 && call != call_sched_yield ? left_working : left_spinning;
}

// The thread was off its CPU for `gone` ns.
static __always_inline void was_gone(struct off_cpu_time* time, u64 gone) {
  if (time->left == left_working) time->working += gone;
  if (time->left == left_in_port) time->in_port += gone;
  if (time->left == left_in_nif) time->in_nif += gone;
  if (time->left == left_spinning) time->spinning += gone;
}

// The thread leaves its CPU after it has run for `ran` ns, and for `run_time` ns in all. The kernel
// counts (nivcsw) how often a thread loses its CPU although it wants to go on.
static __always_inline void leaves(struct off_cpu_time* time, const struct watched_thread* thread,
                                   struct task_struct* task, u64 now, u64 ran, u64 run_time) {
  u64 involuntary = 0;
  bpf_probe_read_kernel(&involuntary, sizeof involuntary, &task->nivcsw);
  const bool preempted = time->left != left_unknown && involuntary != time->involuntary;
  const u32 before = time->left;
  time->left = how_it_leaves(thread, task, preempted);
  if (before == left_spinning && time->left == left_spinning && ran < shortest_sampled)
    time->spun += ran;
  time->left_at = now;
  time->run_time = run_time;
  time->involuntary = involuntary;
}

// Runs when a watched thread leaves its CPU, on its context-switch event; how long it was gone is
// known when it leaves the next time.
SEC("perf_event")
int vm_leaves_cpu(struct bpf_perf_event_data* ctx) {
  u32 index = (u32)bpf_get_attach_cookie(ctx);
  const struct watched_thread* thread = bpf_map_lookup_elem(&threads, &index);
  struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
  if (!thread || !time) return 0;
  const u64 now = bpf_ktime_get_ns();
  // Of a thread's own event: the time that the thread was on a CPU, interrupts included, as samples
  // have it (task->se.sum_exec_runtime leaves them out).
  struct bpf_perf_event_value event = {};
  if (bpf_perf_prog_read_value(ctx, &event, sizeof event) != 0) return 0;
  const u64 passed = now - time->left_at, ran = event.running - time->run_time;
  was_gone(time, passed > ran ? passed - ran : 0);
  leaves(time, thread, (struct task_struct*)bpf_get_current_task_btf(), now, ran, event.running);
  return 0;
}
