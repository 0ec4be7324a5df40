// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: samples without perf events, by programs of type tracing. Each thread of
// the VM has a clock of its time on a CPU, updated at every context switch. The kernel's tick
// checks whether a sample is due. Ticks are in step with the timers that wake processes, so ticks
// alone would be biased: the program also sets its own timer to the instant at which the next
// sample is due.
#pragma once

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "record.bpf.h"
#include "stands_for.bpf.h"

// One per CPU. `fires_at`: CLOCK_MONOTONIC; a time in the past: the timer has fired.
struct cpu_timer {
  struct bpf_timer timer;
  u64 fires_at;
  u64 made;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);  // set to the number of CPUs before loading
  __type(key, u32);
  __type(value, struct cpu_timer);
} timers SEC(".maps");

enum { clock_monotonic = 1 };

struct upid {
  int nr;
} __attribute__((preserve_access_index));
struct pid {
  u32 level;
  struct upid numbers[1];
} __attribute__((preserve_access_index));

// The VM's id in the initial pid namespace; 0: we have not seen a thread of the VM yet.
static int vm_tgid = 0;

static __always_inline bool of_the_vm(const struct task_struct* task) {
  return vm_tgid != 0 && task->tgid == vm_tgid;
}

// Every thread of the machine runs this. For a thread of another process it costs one comparison,
// after vm_tgid is known.
static __always_inline void find_the_vm(void) {
  struct bpf_pidns_info ids;
  if (vm_tgid == 0 &&
      bpf_get_ns_current_pid_tgid(vm.pid_namespace_device, vm.pid_namespace_inode, &ids,
                                  sizeof ids) == 0 &&
      ids.tgid == vm.pid_inside)
    vm_tgid = (int)(bpf_get_current_pid_tgid() >> 32);
}

// The index of a thread of the VM, from its id in the innermost pid namespace, which is the VM's
// own.
static __always_inline const u32* index_of(struct task_struct* task) {
  const struct pid* pid = 0;
  u32 level = 0, tid = 0;
  bpf_probe_read_kernel(&pid, sizeof pid, &task->thread_pid);
  if (!pid) return 0;
  bpf_probe_read_kernel(&level, sizeof level, &pid->level);
  bpf_probe_read_kernel(&tid, sizeof tid,
                        (const char*)&pid->numbers + level * bpf_core_type_size(struct upid));
  return bpf_map_lookup_elem(&index_of_thread, &tid);
}

// Counts that the thread gets a CPU now, or is seen on one for the first time. Its first sample is
// due at a random time, so that samples of different threads are not in step.
static __always_inline void gets_cpu(struct thread_clock* clock, struct off_cpu_time* time,
                                     u64 now) {
  if (time->left_at != 0) add_time_off_cpu(time, now - time->left_at);
  if (clock->due == 0) {
    clock->sampled = time->run_time;
    clock->due = time->run_time + 1 + (vm.period * (u64)(bpf_get_prandom_u32() & 0xffff) >> 16);
  }
  clock->on_cpu_since = now;
}

// Sets the timer of this CPU, so that look() runs here in `wait` ns or earlier.
static __always_inline void look_again(u64 now, u64 wait) {
  const u32 cpu = bpf_get_smp_processor_id();
  struct cpu_timer* timer = bpf_map_lookup_elem(&timers, &cpu);
  if (!timer) return;
  if (wait < shortest_sampled) wait = shortest_sampled;
  if (timer->fires_at > now && timer->fires_at <= now + wait) return;
  timer->fires_at = bpf_timer_start(&timer->timer, wait, 0) == 0 ? now + wait : 0;
}

static __always_inline void take_sample(struct scratch* scratch, struct task_struct* task,
                                        u32 index, struct sample_costs* cost, u64 now,
                                        u64 cpu_time) {
  const struct watched_thread* thread = bpf_map_lookup_elem(&threads, &index);
  struct pt_regs user;
  if (!thread ||
      bpf_probe_read_kernel(&user, sizeof user, (const void*)bpf_task_pt_regs(task)) != 0)
    return;
  begin_record(&scratch->record, now, index);
  copy_registers(scratch->record.registers, &user);
  // In an interrupt orig_rax is not the number of a system call, but negative.
  if ((long)user.orig_rax >= 0) scratch->record.flags |= sample_in_kernel;
  scratch->record.cpu_time = cpu_time;
  fill_record(scratch, thread, cost, now);
}

// Looks at the interrupted thread: takes its sample if one is due.
static __always_inline void look(struct scratch* scratch, u64 now) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  const u32 zero = 0;
  find_the_vm();
  if (!of_the_vm(task)) return;
  const u32* known = index_of(task);
  if (!known) return;
  const u32 index = *known;
  struct thread_clock* clock = bpf_map_lookup_elem(&clocks, &index);
  struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
  struct sample_costs* cost = bpf_map_lookup_elem(&costs, &zero);
  if (!clock || !time || !cost) return;
  if (clock->on_cpu_since == 0) gets_cpu(clock, time, now);
  const u64 run_time = time->run_time + (now - clock->on_cpu_since);
  if (run_time >= clock->due) {
    const u64 cpu_time = stands_for(clock, time, cost, run_time);
    clock->due = run_time + vm.period - (run_time - clock->due) % vm.period;
    take_sample(scratch, task, index, cost, now, cpu_time);
  }
  look_again(now, clock->due - run_time);
}

// A tick may interrupt the timer's program: `busy` prevents that both run. Not static, so that the
// verifier checks it once for both callers.
__noinline int look_once(void) {
  const u32 zero = 0;
  struct scratch* scratch = bpf_map_lookup_elem(&scratches, &zero);
  if (!scratch || *(volatile u64*)&scratch->busy != 0) return 0;
  *(volatile u64*)&scratch->busy = 1;
  look(scratch, bpf_ktime_get_ns());
  *(volatile u64*)&scratch->busy = 0;
  return 0;
}

static int timer_fires(void* map, u32* cpu, struct cpu_timer* timer) {
  look_once();
  return 0;
}

SEC("fentry/update_process_times")
int vm_tick(void* ctx) {
  const u32 cpu = bpf_get_smp_processor_id();
  struct cpu_timer* timer = bpf_map_lookup_elem(&timers, &cpu);
  if (timer && !timer->made) {
    timer->made = 1;
    if (bpf_timer_init(&timer->timer, &timers, clock_monotonic) == 0)
      bpf_timer_set_callback(&timer->timer, timer_fires);
  }
  look_once();
  return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(vm_switches, bool preempt, struct task_struct* previous, struct task_struct* next) {
  find_the_vm();
  const bool from = of_the_vm(previous), to = of_the_vm(next);
  if (!from && !to) return 0;
  const u64 now = bpf_ktime_get_ns();
  if (from) {
    const u32* index = index_of(previous);
    const struct watched_thread* thread = index ? bpf_map_lookup_elem(&threads, index) : 0;
    struct thread_clock* clock = index ? bpf_map_lookup_elem(&clocks, index) : 0;
    struct off_cpu_time* time = index ? bpf_map_lookup_elem(&off_cpu, index) : 0;
    if (thread && clock && time) {
      if (clock->on_cpu_since == 0) gets_cpu(clock, time, now);
      const u64 ran = now - clock->on_cpu_since;
      clock->on_cpu_since = 0;
      leaves_cpu(time, thread, previous, now, ran, time->run_time + ran);
    }
  }
  if (to) {
    const u32* index = index_of(next);
    struct thread_clock* clock = index ? bpf_map_lookup_elem(&clocks, index) : 0;
    struct off_cpu_time* time = index ? bpf_map_lookup_elem(&off_cpu, index) : 0;
    if (clock && time) {
      gets_cpu(clock, time, now);
      look_again(now, clock->due > time->run_time ? clock->due - time->run_time : 0);
    }
  }
  return 0;
}
