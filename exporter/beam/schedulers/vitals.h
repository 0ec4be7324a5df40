#pragma once

#include <optional>
#include <vector>

#include "beam/layout/static_data.h"
#include "beam/schedulers/counter_proofs.h"
#include "beam/schedulers/schedulers.h"
#include "beam/schedulers/thread_kind.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

struct RunQueueLength {
  ThreadKind kind = ThreadKind::normal;
  unsigned scheduler = 0;  // the VM's number; 0: the one queue of all dirty schedulers of this kind
  std::uint64_t length = 0;
};

struct SchedulerCount {
  ThreadKind kind = ThreadKind::normal;
  std::uint64_t all = 0;
  std::uint64_t online = 0;  // while multi-scheduling is blocked: only those that are not blocked
};

// The counts of erlang:system_info/1 and erlang:statistics/1; nullopt: not readable on this
// release, or not proven to be where the layout says.
struct Vitals {
  std::optional<std::uint64_t> processes, process_limit, ports, port_limit;
  std::optional<std::uint64_t> atoms, atom_limit, ets_tables, ets_limit;
  std::vector<RunQueueLength> run_queues;
  std::vector<SchedulerCount> schedulers;  // by kind; empty: not readable
  std::optional<std::uint64_t> reductions, context_switches, collections;  // since the VM's start
  // Bytes that schedulers moved through ports. The few bytes that other threads moved are missing:
  // they are in the static variables bytes_in and bytes_out (io.c, OTP 25 and 27).
  std::optional<std::uint64_t> io_in, io_out;
};

// Finds the places of the counters once. A read takes three system calls and a few microseconds.
// One thread.
class VitalsReader {
 public:
  // All arguments must outlive the reader.
  VitalsReader(const Layout& layout, const StaticData& data, const os::Memory& memory,
               const std::vector<Scheduler>& schedulers);

  // nullopt: the VM's memory could not be read.
  std::optional<Vitals> read();

  // A group that is not proven is left out and tried again at each read.
  const CounterProofs& proofs() const { return proofs_; }

 private:
  void prove();
  void find_run_queues(const std::vector<Scheduler>& schedulers);
  void read_tables(Vitals& vitals) const;
  bool read_run_queues(Vitals& vitals) const;
  bool read_schedulers(Vitals& vitals) const;
  void read_online(Vitals& vitals) const;

  const Layout* layout_;
  const os::Memory* memory_;
  const std::vector<Scheduler>* all_schedulers_;
  CounterProofs proofs_;
  std::optional<os::Address> processes_, ports_, atoms_, requested_ets_limit_, dirty_collections_;
  std::vector<os::Address> schedulers_;  // normal ones
  struct SleepFlags {
    ThreadKind kind;
    os::Address at;
  };
  std::vector<SleepFlags> sleep_flags_;  // one per scheduler, ordered by kind
  struct Queue {
    ThreadKind kind;
    unsigned scheduler;
    os::Address at;
  };
  std::vector<Queue> queues_;
};

}  // namespace beam_exporter::beam
