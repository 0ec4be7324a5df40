#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/direct_calls.h"
#include "elf/native_symbols.h"

// What ERTS' own C functions mean for microstate accounting. The .cpp has the data: tables whose
// rows cite ERTS. Called by NativeCode.
namespace beam_exporter::attribution {

// How a thread's state changes when it enters a function.
enum class Effect : std::uint8_t {
  none,
  scheduling,      // between two processes, or before it runs one
  process_work,    // the scheduler does this work for a process
  dirty_process,   // a dirty scheduler runs a process
  waiting,         // without work: spins, then sleeps
  event_wait,      // in the scheduler's code: sleeps in the kernel; in other code: waits for a lock
  condition_wait,  // sleeps
  yields,          // in the scheduler's code: spins, and lets others have the CPU
  poll_wait,       // the system call under check_io
  aux,
  timers,
  check_io,
  check_io_extended,  // check_io in a VM with extended states only
  gc,
  gc_uncounted,  // a collection for which msacc sets no state
  gc_full,
  port,
  send,
  alloc,
  bif,  // the function that it calls is a BIF
  nif,  // the functions that it calls are inside a NIF
};

// The effect of the function with these names; `none` if no row has one of them.
Effect effect_of(std::span<const std::string> names);

// The static functions that we look for, by the address of their first byte. We find a function by
// its symbol; in a stripped emulator by the functions that it calls and that call it, if exactly
// one function of the file fits.
std::map<std::uint64_t, std::string_view> static_functions(const elf::DirectCalls& calls,
                                                           const elf::NativeSymbols& symbols);

// The functions that are not exported and that only callers with is_caller() call or jump to, each
// with these callers (addresses of first bytes). Needed because a caller leaves no frame where the
// compiler turns its call into a jump.
std::map<std::uint64_t, std::vector<std::uint64_t>> parts_of(
    const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
    const std::function<bool(std::uint64_t)>& is_caller);

// The functions whose time is published under one value of `native`: the members of a family in our
// table ("copy_struct": all of beam/copy.c), else the one function of that name.
std::vector<std::string> members_of_family(std::string_view native);
// The families that we know.
std::vector<std::string> names_of_families();

// True for a family to which samples inside a collection do not belong. A single function is blamed
// for all that it does.
bool is_hidden_in_collections(std::string_view native);

}  // namespace beam_exporter::attribution
