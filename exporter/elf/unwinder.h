#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "elf/loaded_objects.h"
#include "elf/stack_bytes.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::elf {

struct NativeFrame {
  os::Address address = 0;  // the running instruction, or the return address of a caller
  os::Address cfa = 0;      // stack pointer of its caller; 0 for the last frame
};

enum class UnwindEnd {
  reached,       // `stop` returned true
  no_rules,      // the address is in no file, or nothing tells where its caller is
  thread_begin,  // it is in the first function of the thread, which has no caller
  no_stack,      // a saved value lies outside the captured bytes
  too_deep,      // more frames than the bound
};

struct NativeStack {
  std::vector<NativeFrame> frames;  // innermost first; the one that `stop` chose is the last
  os::UserRegisters registers;      // as they are in the last frame
  UnwindEnd end = UnwindEnd::no_rules;
};

// Which of the registers are given. only_place: rip and rsp (return_address.h); then a frame
// that needs another one ends the stack, or is found by its return address.
enum class KnownRegisters { all, only_place };

// Unwinds a captured stack by .eh_frame; code that it does not cover, by the calls of it
// (return_address.h) and what is outside of them, which may leave out frames of that code. Reads
// only the captured bytes, never the live stack: all frames are of the sampled instant. Goes on
// until `stop(address)` returns true. One thread.
NativeStack unwind(LoadedObjects& objects, const os::UserRegisters& registers,
                   const StackBytes& stack, const std::function<bool(os::Address)>& stop,
                   KnownRegisters known = KnownRegisters::all);

}  // namespace beam_exporter::elf
