#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "elf/stack_bytes.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::elf {

// An address that .eh_frame computes (DWARF 5, 2.5): assembly that aligns its stack, as libcrypto's
// for RSA, keeps the stack pointer of its caller on the stack; so does gcc where a function aligns
// more than the ABI does; and each entry of a PLT has pushed its number or not.
class FrameExpression {
 public:
  struct Operation {
    std::uint8_t atom = 0;                 // DW_OP_...
    std::uint64_t number = 0, second = 0;  // its operands
  };

  // nullopt: it has an operation that frames of C functions do not need.
  static std::optional<FrameExpression> of(std::vector<Operation> operations);

  // `cfa` stands for DW_OP_call_frame_cfa. nullopt: a word lies outside of `stack`, or the
  // expression is malformed.
  std::optional<std::uint64_t> value(const os::UserRegisters& registers, const StackBytes& stack,
                                     std::uint64_t cfa = 0) const;

 private:
  explicit FrameExpression(std::vector<Operation> operations)
      : operations_(std::move(operations)) {}

  std::vector<Operation> operations_;
};

}  // namespace beam_exporter::elf
