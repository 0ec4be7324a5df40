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

// The fields of a scheduler's own structs (ErtsSchedulerData, ErtsSchedulerSleepInfo;
// erl_process.h, OTP 25 and 27).
struct SchedulerFields {
  os::Address current_process = 0, current_nif = 0, current_port = 0;
  std::uint32_t sleep_flags = 0;  // ERTS_SSI_FLG_*
  // The sum over all processes that it has scheduled out; nullopt on a release that does not count
  // them.
  std::optional<std::uint64_t> reductions;
};

// One thread at one instant, as any of the sources sees it: its C frames, the process that it
// worked for, and the Erlang stack of that process.
struct ObservedThread {
  beam::ThreadRole role;
  std::chrono::nanoseconds time{};  // CLOCK_MONOTONIC, of the instant
  // The time from the sampled instant to the last read of the VM's memory for this sample; eBPF: 0.
  std::chrono::nanoseconds read_delay{};

  // The C frames at the instant, innermost first, unwound from the copied stack. On a normal
  // scheduler of the JIT the last frame is the JIT code that called C code (then native_end is
  // `reached`). Empty in JIT code.
  std::vector<os::Address> native;
  elf::UnwindEnd native_end = elf::UnwindEnd::reached;

  std::optional<SchedulerFields> scheduler;  // of threads that are schedulers, when readable

  // The process that the scheduler executed; nullopt: none (scheduling, polling, aux work, ports).
  std::optional<beam::ProcessFields> process;
  // Of a thread in a NIF: the ErtsCodeMFA to which Process.current pointed at the instant; nullopt:
  // it was not read then.
  std::optional<beam::CodeMfa> called;
  bool process_unreadable = false;  // there was a process, but its struct was not plausible

  beam::StackTop top;
  std::vector<std::uint64_t> top_words, bottom_words;  // of the process's Erlang stack
  os::Address top_begin = 0, bottom_begin = 0;
  bool stack_cut = false;  // the bottom, or the whole stack, could not be read

  bool has_process() const { return process || process_unreadable; }
  beam::StackWords words() const { return {{top_begin, top_words}, {bottom_begin, bottom_words}}; }

  // Makes it ready to be filled again; its vectors keep their memory.
  void clear() {
    top_words.clear();
    bottom_words.clear();
    native.clear();
    native_end = elf::UnwindEnd::reached;
    scheduler.reset();
    role = {};
    time = read_delay = {};
    process.reset();
    called.reset();
    process_unreadable = false;
    stack_cut = false;
    top = {};
    top_begin = bottom_begin = 0;
  }
};

}  // namespace beam_exporter::sampling
