#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "beam/code/stack.h"
#include "beam/processes/process_fields.h"
#include "beam/schedulers/thread_kind.h"
#include "elf/unwinder.h"

namespace beam_exporter::sampling {

// What the scheduler said of itself (ErtsSchedulerData, ErtsSchedulerSleepInfo).
struct SchedulerFields {
  os::Address current_process = 0, current_nif = 0, current_port = 0;
  std::uint32_t sleep_flags = 0;  // ERTS_SSI_FLG_*
  // Of all processes that it has scheduled out; nullopt on a release that does not count them.
  std::optional<std::uint64_t> reductions;
};

// What was seen of one thread at one instant, whichever source saw it: where its C code was, for
// which process it worked, and the Erlang stack of that process.
struct ObservedThread {
  beam::ThreadRole role;
  std::chrono::nanoseconds time{};  // CLOCK_MONOTONIC, of the instant
  // From the instant to the last read of memory that completed it; eBPF: 0.
  std::chrono::nanoseconds read_delay{};

  // C code: its frames at the instant, innermost first, unwound over the copied stack. On a normal
  // scheduler of the JIT the last one is the JIT code that called (end reached). Empty in JIT code.
  std::vector<os::Address> native;
  elf::UnwindEnd native_end = elf::UnwindEnd::reached;

  std::optional<SchedulerFields> scheduler;  // of threads that are schedulers, when readable

  // The process the scheduler was executing; nullopt: none (scheduling, polling, aux work, ports).
  std::optional<beam::ProcessFields> process;
  bool process_unreadable = false;  // there was one, and its struct made no sense when read

  beam::StackTop top;
  std::vector<std::uint64_t> young_words, old_words;  // of the process's Erlang stack
  os::Address young_begin = 0, old_begin = 0;
  bool stack_cut = false;  // the old end, or all of it, could not be read

  bool has_process() const { return process || process_unreadable; }
  beam::StackWords words() const { return {{young_begin, young_words}, {old_begin, old_words}}; }

  // Ready to be filled again. Its vectors keep their memory.
  void clear() {
    young_words.clear();
    old_words.clear();
    native.clear();
    native_end = elf::UnwindEnd::reached;
    scheduler.reset();
    role = {};
    time = read_delay = {};
    process.reset();
    process_unreadable = false;
    stack_cut = false;
    top = {};
    young_begin = old_begin = 0;
  }
};

}  // namespace beam_exporter::sampling
