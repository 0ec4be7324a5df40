// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: measures what samples cannot show, because they are taken on a CPU: how
// long a thread was off its CPU but did not sleep, by the VM's own definition of sleep.
#pragma once

#include "shared.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct off_cpu_time);
} off_cpu SEC(".maps");

// Structs of the kernel. The loader takes the offsets of the fields from the kernel's BTF.
struct pid;
struct task_struct {
  int tgid;
  struct pid* thread_pid;
  unsigned long nivcsw;
} __attribute__((preserve_access_index));

// The state in which a scheduler says it is: ERTS_SSI_FLG_* (erts/emulator/beam/erl_process.h, OTP
// 25 and 27).
enum { ssi_poll_sleeping = 1 << 1, ssi_tse_sleeping = 1 << 2, ssi_waiting = 1 << 3 };
// ns. The kernel's sampling timer is never shorter (perf_swevent_start_hrtimer). A thread that
// spins and yields, and gets its CPU for less than this each time, is sampled only when it works
// again.
enum { shortest_sampled = 10000 };
enum { no_system_call = -1, call_sched_yield = 24 };

// Counts as the VM does: a thread sleeps when it blocks after it has set a flag for sleeping. In
// scheduler_wait (erl_process.c, OTP 25 and 27) it spins, sometimes by sched_yield. If it leaves
// the CPU there in another system call, that is aux work, which wakes other threads.
static __always_inline u32 kind_of_leaving(const struct watched_thread* thread,
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

// Counts `gone` ns, for which the thread was off its CPU.
static __always_inline void add_time_off_cpu(struct off_cpu_time* time, u64 gone) {
  if (time->left == left_working) time->working += gone;
  if (time->left == left_in_port) time->in_port += gone;
  if (time->left == left_in_nif) time->in_nif += gone;
  if (time->left == left_spinning) time->spinning += gone;
}

// Counts that the thread leaves its CPU: it has run for `ran` ns this time, and for `run_time` ns
// in all. The kernel counts in nivcsw how often a thread loses its CPU although it could go on.
static __always_inline void leaves_cpu(struct off_cpu_time* time,
                                       const struct watched_thread* thread,
                                       struct task_struct* task, u64 now, u64 ran, u64 run_time) {
  u64 involuntary = 0;
  bpf_probe_read_kernel(&involuntary, sizeof involuntary, &task->nivcsw);
  const bool preempted = time->left != left_unknown && involuntary != time->involuntary;
  const u32 before = time->left;
  time->left = kind_of_leaving(thread, task, preempted);
  if (before == left_spinning && time->left == left_spinning && ran < shortest_sampled)
    time->spun += ran;
  time->left_at = now;
  time->run_time = run_time;
  time->involuntary = involuntary;
}

// Runs on the context-switch event of a watched thread, when the thread leaves its CPU. How long it
// was away before is known only now, when it leaves the next time.
SEC("perf_event")
int vm_leaves_cpu(struct bpf_perf_event_data* ctx) {
  u32 index = (u32)bpf_get_attach_cookie(ctx);
  const struct watched_thread* thread = bpf_map_lookup_elem(&threads, &index);
  struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
  if (!thread || !time) return 0;
  const u64 now = bpf_ktime_get_ns();
  // event.running is the time that the thread was on a CPU, including interrupts, as for samples
  // (task->se.sum_exec_runtime does not include them).
  struct bpf_perf_event_value event = {};
  if (bpf_perf_prog_read_value(ctx, &event, sizeof event) != 0) return 0;
  const u64 passed = now - time->left_at, ran = event.running - time->run_time;
  add_time_off_cpu(time, passed > ran ? passed - ran : 0);
  leaves_cpu(time, thread, (struct task_struct*)bpf_get_current_task_btf(), now, ran,
             event.running);
  return 0;
}
