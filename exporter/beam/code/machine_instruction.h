#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/perf/user_registers.h"

namespace beam_exporter::beam {

// MOV, LEA or ADD of 64 bits (Intel SDM vol. 2), with a register and a word in memory, or with two
// registers, or a constant of 8 bits.
struct MachineInstruction {
  // `change`: of a register, from a place with an index or relative to rip. `other`: all else.
  enum class Kind { other, load, store, address, copy, add, change };
  Kind kind = Kind::other;
  std::size_t length = 1;  // 1 also for those of which nothing is known
  os::UserRegisters::Index reg = os::UserRegisters::rax,
                           base = os::UserRegisters::rax;  // of a copy: to and from
  std::int32_t displacement = 0;                           // or the constant
};

// What `code` begins with; it may be cut anywhere.
MachineInstruction decode(std::span<const std::byte> code);

}  // namespace beam_exporter::beam
