// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// The kernel half of the eBPF source: runs in the sampled thread of the VM, at the sampled instant,
// in the timer interrupt of its own cpu-clock event, or (tick.bpf.h) of the kernel's tick. Whatever
// it reads of the VM belongs to that instant. The kernel's helpers for reading user memory ask for
// a GPL-compatible program: the files of this folder alone are licensed so.
//
// Limits (kernel 6.18): see exporter/sampling/README.md. Every loop and every read has a constant
// bound.
#include "record.bpf.h"
#include "shared.bpf.h"
// The other programs of the same object.
#include "carrier_grows.bpf.h"
#include "tick.bpf.h"

char program_license[] SEC("license") = "Dual BSD/GPL";

SEC("perf_event")
int vm_sample(struct bpf_perf_event_data* ctx) {
  const u64 started = bpf_ktime_get_ns();
  const u32 zero = 0;
  u32 index = (u32)bpf_get_attach_cookie(ctx);
  const struct watched_thread* thread = bpf_map_lookup_elem(&threads, &index);
  struct scratch* scratch = bpf_map_lookup_elem(&scratches, &zero);
  struct sample_costs* cost = bpf_map_lookup_elem(&costs, &zero);
  if (!thread || !scratch || !cost) return 0;
  begin(&scratch->record, started, index);
  scratch->record.cpu_time = vm.period;
  if (user_registers(ctx, &scratch->record)) complete(scratch, thread, cost, started);
  return 0;
}
