// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// The BPF program of the eBPF source. It runs in the sampled thread of the VM at the sampled
// instant: in the timer interrupt of the thread's cpu-clock event, or (tick.bpf.h) of the kernel's
// tick. So everything that it reads of the VM is of that instant. The kernel's helpers that read
// user memory need a GPL-compatible program; only the files of this folder have such a license.
//
// Limits (kernel 6.18): see exporter/sampling/README.md. Every loop and every read has a constant
// bound.
#include "record.bpf.h"
#include "shared.bpf.h"
#include "stands_for.bpf.h"
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
  struct thread_clock* clock = bpf_map_lookup_elem(&clocks, &index);
  struct off_cpu_time* time = bpf_map_lookup_elem(&off_cpu, &index);
  if (!thread || !scratch || !cost || !clock || !time) return 0;
  begin_record(&scratch->record, started, index);
  struct bpf_perf_event_value event = {};
  if (bpf_perf_prog_read_value(ctx, &event, sizeof event) != 0) return 0;
  scratch->record.cpu_time = stands_for(clock, time, cost, event.running);
  if (vm.kernel_stacks && (ctx->regs.cs & 3) != 3) {
    const long taken = bpf_get_stack(ctx, scratch->kernel, sizeof scratch->kernel, 0);
    if (taken > 0) scratch->record.kernel_bytes = (u32)taken;
  }
  if (user_registers(ctx, &scratch->record)) fill_record(scratch, thread, cost, started);
  return 0;
}
