// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Part of vm_sample.bpf.c: how much CPU time a sample stands for. A period would be wrong: when a
// hypervisor takes the CPU for some periods, or interrupts are off for long, the timer fires once,
// late. The VM counts such time as work of what it runs then.
#pragma once

#include "off_cpu.bpf.h"
#include "shared.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, most_threads);
  __type(key, u32);
  __type(value, struct thread_clock);
} clocks SEC(".maps");

// The time since the thread's last sample. `run_time`: how long it has been on a CPU, in ns since
// it is watched. What is beyond `most_periods` is counted as lost.
static __always_inline u64 stands_for(struct thread_clock* clock, struct off_cpu_time* time,
                                      struct sample_costs* cost, u64 run_time) {
  u64 cpu_time = run_time - clock->sampled;
  clock->sampled = run_time;
  if (cpu_time <= most_periods * vm.period) return cpu_time;
  const u64 beyond = cpu_time - most_periods * vm.period;
  cost->missed += beyond / vm.period;
  time->lost += beyond;
  return cpu_time - beyond;
}
