#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attribution/state.h"
#include "totals/histogram.h"
#include "totals/vm_figures.h"

// One immutable view of the VM and of the exporter. The sampling thread makes it and publishes it
// as shared_ptr<const Snapshot>; every other thread only reads it. Plain data. nullopt means "could
// not be read": such a value is absent from the scrape, never 0. Counters continue over restarts of
// the VM.
namespace beam_exporter::totals {

struct VmInfo {
  std::string otp_release;   // "25"
  std::string erts_version;  // "13.1.5"
  std::string flavor;        // "jit" or "emu"
  std::string layout;        // where the offsets came from: "dwarf" or the layout's name
  std::string build_id;      // lower-case hex; empty when the executable has none
};

struct VmProcess {  // from /proc
  int pid = 0;
  std::optional<double> start_time_seconds;  // since the epoch
  std::optional<double> threads;
  std::optional<double> open_fds;
  std::optional<double> max_fds;
};

struct SchedulerTime {
  beam::ThreadKind kind = beam::ThreadKind::normal;
  unsigned number = 0;  // as the VM counts them: from 1
  std::array<double, attribution::state_names.size()>
      seconds{};  // by attribution::State; sums to wall time since first seen
  std::array<bool, attribution::state_names.size()>
      known{};  // states this source can recognize; others are absent
  // Share of the last interval outside sleep and busy_wait; nullopt before the first interval.
  std::optional<double> utilization = std::nullopt;
};

struct FunctionTime {
  std::string module;    // without "Elixir."; empty for `other`
  std::string function;  // "name/arity", or "other"
  double seconds = 0;
};

struct BlameTime {
  std::string native;                   // the family or native function as it was configured
  std::vector<FunctionTime> functions;  // on top of the Erlang stack, then `other`
};

struct AllocatorGrowth {
  std::string allocator;                // "eheap_alloc"
  std::vector<FunctionTime> functions;  // that ran while it grew, then `other`; bytes
};

struct ProcessTime {
  std::string process;  // registered name, else initial call, or "other"
  double seconds = 0;
};

struct SampleCounts {
  double total = 0;
  std::map<std::string, double> lost;          // by reason; every reason present from the start
  std::map<std::string, double> unattributed;  // by reason; every reason present from the start
  Histogram read_delay_seconds;
};

// The VM's own counters, summed over all VMs watched.
struct VmCounters {
  std::optional<double> reductions, context_switches, garbage_collections;
  std::optional<double> io_in_bytes, io_out_bytes;
};

struct CollectorRun {
  double duration_seconds = 0;
  bool success = false;
  std::optional<double> last_success_seconds = std::nullopt;  // since the Unix epoch
};

struct OwnHealth {
  // What is lost by the way in which samples are taken, why, and the remedy; empty: nothing is
  // lost.
  std::string sampling_complaint;
  std::map<std::string, bool> features;            // beam_exporter_feature_enabled
  std::map<std::string, CollectorRun> collectors;  // the last run of each timer-driven collector
  std::map<std::string, double> torn_reads;        // cumulative, by collector
  // Threads of the VM that are not sampled, by beam::ThreadKind; absent while no thread is sampled.
  std::optional<std::array<std::size_t, beam::thread_kind_names.size()>> unwatched_threads;
  // How much sampling has cost the sampled threads; cumulative, absent where it is not measured.
  std::optional<double> sampling_runs, sampling_seconds;
};

struct Snapshot {
  std::uint64_t number = 0;  // one more than that of the snapshot before
  std::chrono::system_clock::time_point taken;
  bool up = false;           // attached and reading
  std::string down_reason;   // one line; empty when up
  std::optional<VmInfo> vm;  // present while up
  std::optional<VmProcess> process;
  std::optional<double> vm_cpu_user_seconds;  // counters over all VMs watched
  std::optional<double> vm_cpu_system_seconds;
  double target_restarts = 0;
  bool sampled = true;  // false: no thread of a VM could ever be sampled, zeros below mean nothing
  std::vector<SchedulerTime> schedulers;
  std::vector<FunctionTime> functions;  // self
  std::vector<FunctionTime> inclusive_functions;
  std::vector<FunctionTime> bifs, nifs;
  std::optional<double> nif_time_ratio;  // of the last interval
  Histogram nif_hold_seconds;
  std::vector<BlameTime> blame;
  std::vector<AllocatorGrowth> growth;  // empty until the first growth was seen
  std::vector<ProcessTime> process_times;
  SampleCounts samples;
  VmCounters counters;
  std::shared_ptr<const VmFigures> figures;  // null while there is no VM
  OwnHealth own;
};

}  // namespace beam_exporter::totals
