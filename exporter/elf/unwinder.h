#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "elf/loaded_objects.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::elf {

// The bytes of a thread's stack as they were at the sampled instant.
struct StackBytes {
  os::Address begin = 0;
  std::span<const std::byte> bytes;
};

struct NativeFrame {
  os::Address address = 0;  // the running instruction, or the return address of a caller
  os::Address cfa = 0;      // stack pointer of its caller; 0 for the last frame
};

enum class UnwindEnd {
  reached,   // code for which `stop` said so
  no_rules,  // an address in no file, or without call frame information
  no_stack,  // a saved value lies outside the captured bytes
  too_deep,  // more frames than we follow
};

struct NativeStack {
  std::vector<NativeFrame> frames;  // innermost first; the one that `stop` chose is the last
  os::UserRegisters registers;      // as they are in the last frame
  UnwindEnd end = UnwindEnd::no_rules;
};

// Unwinds by .eh_frame over captured bytes only: the live stack is never touched, so what comes out
// is of the sampled instant. Goes on until `stop(address)`. One thread.
NativeStack unwind(LoadedObjects& objects, const os::UserRegisters& registers,
                   const StackBytes& stack, const std::function<bool(os::Address)>& stop);

}  // namespace beam_exporter::elf
