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

// What ERTS' own C functions mean for microstate accounting, as data: the two tables of the .cpp,
// each row with the place in ERTS it comes from. Called by NativeCode.
namespace beam_exporter::attribution {

// What entering a function does to the state of a thread.
enum class Effect : std::uint8_t {
  none,
  scheduling,      // between two processes, or about to run one
  process_work,    // done for a process although the scheduler does it
  dirty_process,   // a dirty scheduler runs a process
  waiting,         // no work: spins, then sleeps
  event_wait,      // sleeps in the kernel; in other code than the scheduler's: waits for a lock
  condition_wait,  // sleeps
  poll_wait,       // the system call under check_io
  aux,
  timers,
  check_io,
  check_io_extended,  // counted as check_io only by a VM with extended states
  gc,
  gc_uncounted,  // a collection that msacc itself does not set a state for
  gc_full,
  port,
  send,
  alloc,
  bif,  // what it calls is a BIF
  nif,  // what it calls is inside a NIF
};

// By any of the names of one function.
Effect effect_of(std::span<const std::string> names);

// The static functions that we look for, by the address of their first byte. A symbol names them.
// In a stripped emulator the functions that one calls and is called by identify it, if exactly one
// function of the file fits.
std::map<std::uint64_t, std::string_view> static_functions(const elf::DirectCalls& calls,
                                                           const elf::NativeSymbols& symbols);

// Functions that are not exported, each with the only functions that call it or jump to it
// (addresses of first bytes). Where the compiler turns a call into a jump, the caller leaves no
// frame.
std::map<std::uint64_t, std::vector<std::uint64_t>> parts_of(
    const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
    const std::function<bool(std::uint64_t)>& is_caller);

// The functions whose time is published under one `native` name: a family we know
// ("copy_struct": the whole copy.c of that OTP), else that one function.
std::vector<std::string> members_of_family(std::string_view native);

// True for a family that a sample inside a collection does not belong to. A single function is
// blamed for all that it does.
bool is_hidden_in_collections(std::string_view native);

}  // namespace beam_exporter::attribution
