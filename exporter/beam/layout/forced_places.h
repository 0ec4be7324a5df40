#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::beam {

// Where process_main, the interpreter, keeps a variable: in a register, or in a word of its frame,
// which never moves, because the function never returns.
struct InterpreterPlace {
  os::UserRegisters::Index base = os::UserRegisters::rsp;
  std::optional<std::int32_t> in_frame;  // the word at `base` + this; else `base` itself

  // Not explicit: a register is a place.
  constexpr InterpreterPlace(os::UserRegisters::Index in_register) : base(in_register) {}
  constexpr InterpreterPlace(os::UserRegisters::Index frame_base, std::int32_t offset)
      : base(frame_base), in_frame(offset) {}
  friend bool operator==(const InterpreterPlace&, const InterpreterPlace&) = default;
};

// In bytes. What is copied of a stack must reach that far.
inline constexpr std::int32_t largest_place_offset = 4096;

// "rbx", "rsp+8".
std::string place_text(const InterpreterPlace& place);

// What a user says of an interpreter whose code proves nothing: its variables `I` and `E`
// (code/interpreter.h). Each sample must prove it.
struct ForcedPlaces {
  std::optional<InterpreterPlace> instruction, stack;
  bool any() const { return instruction || stack; }
};

// From "I=r12", "E=rsp+8". Errors: invalid_argument, one line.
os::Result<ForcedPlaces> forced_places(const std::vector<std::string>& texts);

}  // namespace beam_exporter::beam
