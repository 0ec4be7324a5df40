#pragma once

#include <string>

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

// Functions that turn a Snapshot into families, one function and one source file for each topic.
// All are pure.
namespace beam_exporter::metrics {

// The VM as a process: beam_up, beam_vm_*, beam_target_restarts_total.
Families vm_metrics(const totals::Snapshot& snapshot);

// What the scheduler threads do with their time: beam_scheduler_*.
Families scheduler_metrics(const totals::Snapshot& snapshot);

// Where Erlang code spends CPU time: beam_function_*, beam_process_cpu_seconds_total.
// Two functions that show the same labels ('Elixir.Foo' and 'Foo' do) become one series, their sum.
Families function_metrics(const totals::Snapshot& snapshot);

// CPU time in the C code that Erlang code calls: beam_bif_*, beam_nif_*, beam_blame_*.
Families native_metrics(const totals::Snapshot& snapshot);

// The quality of the sampling: beam_samples_*, beam_sample_skid_seconds.
Families sample_metrics(const totals::Snapshot& snapshot);

// The VM's allocators and carriers: beam_allocator_*, beam_carrier_*.
Families allocator_metrics(const totals::Snapshot& snapshot);

// The parts of the VM's resident memory: beam_memory_*.
Families memory_metrics(const totals::Snapshot& snapshot);

// Heaps and message queues of the VM's processes: beam_process_heap_*, beam_process_message_*.
Families process_queue_metrics(const totals::Snapshot& snapshot);

// The VM's own counts: processes, ports, atoms and tables with their limits, run queues,
// reductions, context switches, garbage collections, I/O.
Families vitals_metrics(const totals::Snapshot& snapshot);

// The build of this exporter.
struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string revision;  // of the source; "unknown" when built outside a repository
  std::string compiler;  // "gcc 12.2.0"
};

// The exporter's own account of its work: beam_exporter_*.
Families exporter_metrics(const totals::Snapshot& snapshot, const BuildInfo& build);

}  // namespace beam_exporter::metrics
