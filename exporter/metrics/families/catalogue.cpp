#include "metrics/families/catalogue.h"

#include <unordered_map>

namespace beam_exporter::metrics {
namespace {

using enum FamilyType;

const std::vector<FamilySpec>& families() {
  // A family is two lines: first name, type, unit and labels, then its help.
  // clang-format off
  static const std::vector<FamilySpec> all = {
      {"beam_up", gauge, "", {},
       "1 while attached to an Erlang VM and reading it, else 0."},
      {"beam_vm_info", info, "", {"otp_release", "erts_version", "flavor", "layout", "build_id"},
       "The Erlang VM being watched and where its struct layout came from."},
      {"beam_vm_start_time_seconds", gauge, "seconds", {},
       "Start time of the VM since the Unix epoch."},
      {"beam_vm_threads", gauge, "", {},
       "Operating system threads of the VM."},
      {"beam_vm_open_fds", gauge, "", {},
       "Open file descriptors of the VM."},
      {"beam_vm_max_fds", gauge, "", {},
       "Soft limit on the open file descriptors of the VM."},
      {"beam_vm_cpu_seconds_total", counter, "seconds", {"mode"},
       "CPU time of the VM in user and in system mode, as the kernel counts it."},
      {"beam_target_restarts_total", counter, "", {},
       "Times the watched VM was replaced by a new one since the exporter started."},

      {"beam_scheduler_state_seconds_total", counter, "seconds", {"kind", "scheduler", "state"},
       "Wall time of a scheduler thread by what it was doing; the states of one thread sum to its wall time."},
      {"beam_scheduler_utilization_ratio", gauge, "ratio", {"kind", "scheduler"},
       "Share of the last interval in which a scheduler thread had work: all but sleep and busy_wait."},

      {"beam_function_cpu_seconds_total", counter, "seconds", {"module", "function"},
       "CPU time with the function on top of the Erlang stack, its BIFs, NIFs and garbage collections included; sampled, the busiest functions and other."},
      {"beam_function_inclusive_cpu_seconds_total", counter, "seconds", {"module", "function"},
       "CPU time with the function anywhere on the Erlang stack, counted once per sample; sampled, the busiest functions and other."},

      {"beam_process_cpu_seconds_total", counter, "seconds", {"process"},
       "CPU time of processes by registered name or initial call; sampled, the busiest and other."},

      {"beam_bif_cpu_seconds_total", counter, "seconds", {"module", "function"},
       "CPU time in built-in functions and in what they call; sampled."},
      {"beam_nif_cpu_seconds_total", counter, "seconds", {"module", "function"},
       "CPU time in NIFs and in what they call; sampled."},
      {"beam_nif_time_ratio", gauge, "ratio", {},
       "Share of NIFs in the working time of all schedulers in the last interval."},
      {"beam_nif_hold_seconds", histogram, "seconds", {},
       "How long single NIF calls were seen holding a normal scheduler: a lower bound of each."},
      {"beam_blame_cpu_seconds_total", counter, "seconds", {"native", "module", "function"},
       "CPU time in a native function or family, by the Erlang function that called for it."},
      {"beam_allocator_growth_bytes_total", counter, "bytes", {"allocator", "module", "function"},
       "New carriers of an allocator, by the Erlang function then running; with growth.enabled."},

      {"beam_samples_total", counter, "", {},
       "Samples taken of the threads of the VM."},
      {"beam_samples_lost_total", counter, "", {"reason"},
       "Samples that were due and never reached us."},
      {"beam_samples_unattributed_total", counter, "", {"reason"},
       "Samples that end in no Erlang function and no named state."},
      {"beam_sample_skid_seconds", histogram, "seconds", {},
       "Delay between a sample and the last read of memory that completed it."},

      {"beam_allocator_enabled", gauge, "", {"allocator"},
       "1 if the VM uses this allocator; 0 if malloc gives its memory, which then is in no carrier."},
      {"beam_allocator_carriers", gauge, "", {"allocator", "carrier"},
       "Carriers of an allocator: multi-block (mbcs), single-block (sbcs), abandoned multi-block ones waiting to be used again (mbcs_pool)."},
      {"beam_allocator_carriers_bytes", gauge, "bytes", {"allocator", "carrier"},
       "Memory an allocator has taken from the system in carriers."},
      {"beam_allocator_blocks", gauge, "", {"allocator", "carrier"},
       "Blocks in use in the carriers of an allocator."},
      {"beam_allocator_blocks_bytes", gauge, "bytes", {"allocator", "carrier"},
       "Memory of the blocks in use in the carriers of an allocator."},
      {"beam_allocator_utilization_ratio", gauge, "ratio", {"allocator", "carrier"},
       "Blocks in use by carriers, in bytes; 1 when there are no carriers."},
      {"beam_allocator_instance_carriers_bytes", gauge, "bytes", {"allocator", "index"},
       "Carriers in use by one instance of an allocator."},
      {"beam_allocator_instance_blocks_bytes", gauge, "bytes", {"allocator", "index"},
       "Blocks in use in the carriers of one instance of an allocator."},
      {"beam_allocator_instance_free_bytes", gauge, "bytes", {"allocator", "index"},
       "Free space in the multi-block carriers of one instance of an allocator."},
      {"beam_allocator_instance_largest_free_block_bytes", gauge, "bytes", {"allocator", "index"},
       "Largest free block in the multi-block carriers of one instance of an allocator."},
      {"beam_allocator_free_bytes", gauge, "bytes", {"allocator"},
       "Free space in all multi-block carriers of an allocator, those in the pool included."},
      {"beam_allocator_largest_free_block_bytes", gauge, "bytes", {"allocator"},
       "Largest free block in all multi-block carriers of an allocator."},
      {"beam_allocator_fragmentation_ratio", gauge, "ratio", {"allocator"},
       "(free - largest free block) / free over all multi-block carriers; near 1 whenever there are many carriers."},
      {"beam_allocator_carrier_fragmentation_ratio", gauge, "ratio", {"allocator"},
       "1 - (sum of the largest free block of each carrier) / free: how broken up the free space is inside carriers."},
      {"beam_carrier_utilization_ratio", gaugehistogram, "ratio", {"allocator"},
       "Blocks by size of each multi-block carrier, one observation per carrier."},
      {"beam_memory_resident_bytes", gauge, "bytes", {},
       "Resident memory of the VM, as the kernel counts it."},
      {"beam_memory_virtual_bytes", gauge, "bytes", {},
       "Address space of the VM; most of it is reserved and never used."},
      {"beam_memory_carriers_bytes", gauge, "bytes", {},
       "All carriers of all allocators that are enabled."},
      {"beam_memory_blocks_bytes", gauge, "bytes", {},
       "All blocks in use in them."},
      {"beam_memory_mseg_cache_bytes", gauge, "bytes", {},
       "Address space that carriers gave back and that the VM keeps for the next ones."},
      {"beam_memory_anonymous_bytes", gauge, "bytes", {},
       "Resident pages of the VM that belong to no file."},
      {"beam_memory_outside_carriers_bytes", gauge, "bytes", {},
       "Resident memory of the VM that is neither in carriers nor in the literal area; what allocators that are not enabled have is in here."},
      {"beam_memory_resident_part_bytes", gauge, "bytes", {"part"},
       "Resident memory of the VM by what it is: carriers, literal_area, mseg_cache, jit_code, files, thread_stacks, c_heap, other."},
      {"beam_processes", gauge, "", {},
       "Erlang processes, those that are ending included."},
      {"beam_processes_limit", gauge, "", {},
       "Most Erlang processes there can be."},
      {"beam_ports", gauge, "", {},
       "Ports."},
      {"beam_ports_limit", gauge, "", {},
       "Most ports there can be."},
      {"beam_atoms", gauge, "", {},
       "Atoms; they are never freed."},
      {"beam_atoms_limit", gauge, "", {},
       "Most atoms there can be; the VM ends when it needs one more."},
      {"beam_ets_tables", gauge, "", {},
       "ETS tables."},
      {"beam_ets_tables_limit", gauge, "", {},
       "Number of ETS tables the VM was set up for; it does not refuse more."},
      {"beam_schedulers", gauge, "", {"kind"},
       "Schedulers that the VM was started with."},
      {"beam_schedulers_online", gauge, "", {"kind"},
       "Schedulers that are online; while multi-scheduling is blocked, those that are not."},
      {"beam_run_queue_length", gauge, "", {"kind", "scheduler"},
       "Processes and ports waiting in a run queue; all dirty schedulers of a kind share one."},
      {"beam_reductions_total", counter, "", {},
       "Reductions, as erlang:statistics(reductions) counts them."},
      {"beam_context_switches_total", counter, "", {},
       "Processes scheduled in, as erlang:statistics(context_switches) counts them."},
      {"beam_garbage_collections_total", counter, "", {},
       "Garbage collections, as erlang:statistics(garbage_collection) counts them."},
      {"beam_io_bytes_total", counter, "bytes", {"direction"},
       "Bytes that went through ports, as erlang:statistics(io) counts them."},
      {"beam_process_heap_bytes", gaugehistogram, "bytes", {},
       "Heap of every process with the messages that belong to it, one observation each; as total_heap_size of process_info."},
      {"beam_process_messages_unmeasured", gauge, "", {},
       "Waiting messages that beam_process_heap_bytes lacks: beyond what one scan follows, or not yet decoded from another node."},
      {"beam_process_message_queue_length", gaugehistogram, "", {},
       "Messages waiting for every process, one observation each."},
      {"beam_process_message_queue_length_top", gauge, "", {"process"},
       "Messages waiting for the processes with the longest queues, by registered name, label or initial call; of those with one name the longest."},
      {"beam_process_heap_bytes_top", gauge, "", {"process"},
       "Heaps of the processes with the largest ones, by registered name, label or initial call; of those with one name the largest."},

      {"beam_exporter_build_info", info, "", {"version", "revision", "compiler"},
       "The build of beam_exporter that answers."},
      {"beam_exporter_feature_enabled", gauge, "", {"feature"},
       "1 for what this exporter can do here, 0 for what rights, kernel or VM deny it."},
      {"beam_exporter_snapshot_timestamp_seconds", gauge, "seconds", {},
       "When the numbers on this page were last brought up to date, since the Unix epoch."},
      {"beam_exporter_collector_duration_seconds", gauge, "seconds", {"collector"},
       "Duration of the last run of a collector."},
      {"beam_exporter_collector_success", gauge, "", {"collector"},
       "1 when the last run of a collector succeeded, else 0."},
      {"beam_exporter_collector_last_success_timestamp_seconds", gauge, "seconds", {"collector"},
       "When a collector last succeeded, since the Unix epoch: its figures are that old."},
      {"beam_exporter_torn_reads_total", counter, "", {"collector"},
       "Looks at the memory of the VM that were dropped because it changed meanwhile."},
      {"beam_exporter_unwatched_threads", gauge, "", {"kind"},
       "Threads of the VM that are not sampled, for lack of descriptors or of memory for rings; their series are absent."},
      {"beam_exporter_sampling_runs_total", counter, "", {},
       "Times the eBPF program took a sample in a thread of the VM, lost ones included."},
      {"beam_exporter_sampling_seconds_total", counter, "seconds", {},
       "Time the eBPF program took from the threads of the VM."},

      {"process_cpu_seconds_total", counter, "seconds", {},
       "CPU time of the exporter, user and system."},
      {"process_open_fds", gauge, "", {},
       "Open file descriptors of the exporter."},
      {"process_max_fds", gauge, "", {},
       "Soft limit on the open file descriptors of the exporter."},
      {"process_virtual_memory_bytes", gauge, "bytes", {},
       "Virtual memory of the exporter."},
      {"process_virtual_memory_max_bytes", gauge, "bytes", {},
       "Soft limit on the virtual memory of the exporter; absent when unlimited."},
      {"process_resident_memory_bytes", gauge, "bytes", {},
       "Resident memory of the exporter."},
      {"process_start_time_seconds", gauge, "seconds", {},
       "Start time of the exporter since the Unix epoch."},
  };
  // clang-format on
  return all;
}

std::string_view without(std::string_view name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

}  // namespace

std::span<const FamilySpec> catalogue() { return families(); }

const FamilySpec* find_family(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const FamilySpec*> index;
    for (const auto& family : families()) index.emplace(family.name, &family);
    return index;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool about_exporter(const FamilySpec& family) {
  if (family.name == "beam_exporter_build_info") return false;
  return family.name.starts_with("process_") || family.name.starts_with("beam_exporter_");
}

std::string_view open_metrics_name(const FamilySpec& family) {
  switch (family.type) {
    case counter:
      return without(family.name, "_total");
    case info:
      return without(family.name, "_info");
    default:
      return family.name;
  }
}

std::string_view name_of(FamilyType type) {
  switch (type) {
    case counter:
      return "counter";
    case gauge:
      return "gauge";
    case info:
      return "info";
    case histogram:
      return "histogram";
    case gaugehistogram:
      return "gaugehistogram";
  }
  return "unknown";
}

}  // namespace beam_exporter::metrics
