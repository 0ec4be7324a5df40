// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: samples without perf events, by programs of type tracing. Each thread of
// the VM has a clock of the time that it was on a CPU, kept at every context switch. The kernel's
// tick looks whether a sample is due; for the time between two ticks, which is shared with the
// timers that wake processes up, the program sets a timer of its own to the instant at which one
// will be.
#pragma once

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "record.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct thread_clock);
} clocks SEC(".maps");

// One per CPU. `fires_at`: CLOCK_MONOTONIC; past: it has fired.
struct cpu_timer {
  struct bpf_timer timer;
  u64 fires_at;
  u64 made;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);  // as many as CPUs, before loading
  __type(key, u32);
  __type(value, struct cpu_timer);
} timers SEC(".maps");

// A sample stands for no more periods than these; what a thread has run beyond is counted as lost.
enum { most_periods = 16 };
enum { clock_monotonic = 1 };

struct upid {
  int nr;
} __attribute__((preserve_access_index));
struct pid {
  u32 level;
  struct upid numbers[1];
} __attribute__((preserve_access_index));

// The VM's id in the kernel's own pid namespace; 0: none of its threads was met yet.
static int vm_tgid = 0;

static __always_inline bool of_the_vm(const struct task_struct* task) {
  return vm_tgid != 0 && task->tgid == vm_tgid;
}

// Every thread of the machine comes by here. One that does not belong to the VM costs one
// comparison.
static __always_inline void meet_the_vm(void) {
  struct bpf_pidns_info ids;
  if (vm_tgid == 0 &&
      bpf_get_ns_current_pid_tgid(vm.pid_namespace_device, vm.pid_namespace_inode, &ids,
                                  sizeof ids) == 0 &&
      ids.tgid == vm.pid_inside)
    vm_tgid = (int)(bpf_get_current_pid_tgid() >> 32);
}

// The index of a thread of the VM: by its id in the innermost namespace, that the VM itself is in.
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

// The thread has its CPU since now, or is met there for the first time: samples of different
// threads are not in step.
static __always_inline void comes(struct thread_clock* clock, struct off_cpu_time* time, u64 now) {
  if (time->left_at != 0) was_gone(time, now - time->left_at);
  if (clock->due == 0) {
    clock->sampled = time->run_time;
    clock->due = time->run_time + 1 + (vm.period * (u64)(bpf_get_prandom_u32() & 0xffff) >> 16);
  }
  clock->on_cpu_since = now;
}

// Sets the timer of this CPU: the thread that runs here in `wait` ns is looked at then, or earlier.
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
  begin(&scratch->record, now, index);
  copy_registers(scratch->record.registers, &user);
  // Interrupts leave no number of a system call here.
  if ((long)user.orig_rax >= 0) scratch->record.flags |= sample_in_kernel;
  scratch->record.cpu_time = cpu_time;
  complete(scratch, thread, cost, now);
}

// Looks at the thread that this interrupt has interrupted.
static __always_inline void look(struct scratch* scratch, u64 now) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  const u32 zero = 0;
  meet_the_vm();
  if (!of_the_vm(task)) return;
  const u32* known = index_of(task);
  if (!known) return;
  const u32 index = *known;
  struct thread_clock* clock = bpf_map_lookup_elem(&clocks, &index);
  struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
  struct sample_costs* cost = bpf_map_lookup_elem(&costs, &zero);
  if (!clock || !time || !cost) return;
  if (clock->on_cpu_since == 0) comes(clock, time, now);
  const u64 run_time = time->run_time + (now - clock->on_cpu_since);
  if (run_time >= clock->due) {
    u64 cpu_time = run_time - clock->sampled;
    if (cpu_time > most_periods * vm.period) {
      const u64 beyond = cpu_time - most_periods * vm.period;
      cost->missed += beyond / vm.period;
      time->lost += beyond;
      cpu_time -= beyond;
    }
    clock->sampled = run_time;
    clock->due = run_time + vm.period - (run_time - clock->due) % vm.period;
    take_sample(scratch, task, index, cost, now, cpu_time);
  }
  look_again(now, clock->due - run_time);
}

// A tick may interrupt the timer's program. Not static, so that it is verified once for both.
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
  meet_the_vm();
  const bool from = of_the_vm(previous), to = of_the_vm(next);
  if (!from && !to) return 0;
  const u64 now = bpf_ktime_get_ns();
  if (from) {
    const u32* index = index_of(previous);
    const struct watched_thread* thread = index ? bpf_map_lookup_elem(&threads, index) : 0;
    struct thread_clock* clock = index ? bpf_map_lookup_elem(&clocks, index) : 0;
    struct off_cpu_time* time = index ? bpf_map_lookup_elem(&off_cpu, index) : 0;
    if (thread && clock && time) {
      if (clock->on_cpu_since == 0) comes(clock, time, now);
      const u64 ran = now - clock->on_cpu_since;
      clock->on_cpu_since = 0;
      leaves(time, thread, previous, now, ran, time->run_time + ran);
    }
  }
  if (to) {
    const u32* index = index_of(next);
    struct thread_clock* clock = index ? bpf_map_lookup_elem(&clocks, index) : 0;
    struct off_cpu_time* time = index ? bpf_map_lookup_elem(&off_cpu, index) : 0;
    if (clock && time) {
      comes(clock, time, now);
      look_again(now, clock->due > time->run_time ? clock->due - time->run_time : 0);
    }
  }
  return 0;
}
