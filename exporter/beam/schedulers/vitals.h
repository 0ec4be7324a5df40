#pragma once

#include <optional>
#include <vector>

#include "beam/layout/static_data.h"
#include "beam/schedulers/schedulers.h"
#include "beam/schedulers/thread_kind.h"
#include "elf/image.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

struct RunQueueLength {
  ThreadKind kind = ThreadKind::normal;
  unsigned scheduler = 0;  // as the VM numbers them; 0: one queue for all dirty ones of the kind
  std::uint64_t length = 0;
};

struct SchedulerCount {
  ThreadKind kind = ThreadKind::normal;
  std::uint64_t all = 0;
  std::uint64_t online = 0;  // while multi-scheduling is blocked: those that are not
};

// What erlang:system_info/1 and erlang:statistics/1 count; nullopt: not readable on this release.
struct Vitals {
  std::optional<std::uint64_t> processes, process_limit, ports, port_limit;
  std::optional<std::uint64_t> atoms, atom_limit, ets_tables, ets_limit;
  std::vector<RunQueueLength> run_queues;
  std::vector<SchedulerCount> schedulers;  // by kind; empty: not readable
  std::optional<std::uint64_t> reductions, context_switches, collections;  // since the VM's start
  // Bytes that schedulers moved through ports; the few that other threads moved are not seen
  // (static bytes_in and bytes_out, io.c OTP 25 and 27).
  std::optional<std::uint64_t> io_in, io_out;
};

// Where the counters are is found once; a look is three system calls and a few microseconds. One
// thread.
class VitalsReader {
 public:
  // All outlive it.
  VitalsReader(const Layout& layout, const elf::Image& image, const StaticData& data,
               const os::Memory& memory, const std::vector<Scheduler>& schedulers);

  // nullopt: the VM's memory could not be read.
  std::optional<Vitals> read();

 private:
  void find_run_queues(const std::vector<Scheduler>& schedulers);
  void read_tables(Vitals& vitals) const;
  bool read_run_queues(Vitals& vitals) const;
  bool read_schedulers(Vitals& vitals) const;
  void read_online(Vitals& vitals) const;

  const Layout* layout_;
  const os::Memory* memory_;
  std::optional<os::Address> processes_, ports_, atoms_, ets_wish_, dirty_collections_;
  std::vector<os::Address> schedulers_;  // normal ones
  struct SleepFlags {
    ThreadKind kind;
    os::Address at;
  };
  std::vector<SleepFlags> sleep_flags_;  // of each scheduler, those of a kind together
  struct Queue {
    ThreadKind kind;
    unsigned scheduler;
    os::Address at;
  };
  std::vector<Queue> queues_;
};

// Address of dirty_gc.info.garbage_cols, a static of erl_gc.c: erts_init_gc passes &dirty_gc.mtx to
// its only mutex initialisation, and the counters stand right behind that mutex (OTP 25 and 27).
// x86-64. nullopt when the code does not look like that.
std::optional<os::Address> find_dirty_collections(const Layout& layout, const elf::Image& image,
                                                  const StaticData& data);

}  // namespace beam_exporter::beam
