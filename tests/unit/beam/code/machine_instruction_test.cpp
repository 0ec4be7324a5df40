#include "beam/code/machine_instruction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace beam_exporter::beam {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Did = MachineInstruction::Kind;
using Register = os::UserRegisters;

MachineInstruction decoded(const Bytes& code) { return decode(std::as_bytes(std::span(code))); }

void expect(const Bytes& code, Did kind, Register::Index reg, Register::Index base,
            std::int32_t displacement) {
  const auto found = decoded(code);
  EXPECT_EQ(found.kind, kind);
  EXPECT_EQ(found.length, code.size());
  EXPECT_EQ(found.reg, reg);
  EXPECT_EQ(found.base, base);
  EXPECT_EQ(found.displacement, displacement);
}

TEST(MachineInstruction, is_read_with_its_registers_and_displacement) {
  expect({0x48, 0x8b, 0x5e, 0x10}, Did::load, Register::rbx, Register::rsi, 16);
  expect({0x4d, 0x8b, 0x6c, 0x24, 0x58}, Did::load, Register::r13, Register::r12, 0x58);
  expect({0x4c, 0x89, 0x75, 0xf0}, Did::store, Register::r14, Register::rbp, -16);
  expect({0x48, 0x8b, 0x84, 0x24, 0x00, 0x02, 0, 0}, Did::load, Register::rax, Register::rsp, 512);
  expect({0x48, 0x8d, 0x5b, 0x08}, Did::address, Register::rbx, Register::rbx, 8);
  expect({0x49, 0x83, 0xc7, 0xf8}, Did::add, Register::r15, Register::r15, -8);
  expect({0x48, 0x89, 0xc8}, Did::copy, Register::rax, Register::rcx, 0);
  expect({0x48, 0x8b, 0xc1}, Did::copy, Register::rax, Register::rcx, 0);
}

TEST(MachineInstruction, a_register_from_elsewhere_changes_all_the_same) {
  const auto indexed = decoded({0x48, 0x8b, 0x1c, 0xc6});  // mov (%rsi,%rax,8), %rbx
  EXPECT_EQ(indexed.kind, Did::change);
  EXPECT_EQ(indexed.reg, Register::rbx);
  EXPECT_EQ(decoded({0x48, 0x8b, 0x05, 0, 1, 0, 0}).kind, Did::change);  // mov 256(%rip), %rax
  EXPECT_EQ(decoded({0x48, 0x89, 0x1c, 0xc6}).kind, Did::other) << "a store changes none";
}

TEST(MachineInstruction, all_else_is_other_and_code_may_be_cut_anywhere) {
  for (const Bytes& code : {Bytes{}, Bytes{0x48}, Bytes{0x8b, 0x5e, 0x10}, Bytes{0x48, 0x01, 0xd8},
                            Bytes{0x48, 0x8b, 0x84, 0x24, 0x00, 0x02}}) {
    EXPECT_EQ(decoded(code).kind, Did::other);
    EXPECT_EQ(decoded(code).length, 1U);
  }
}

}  // namespace
}  // namespace beam_exporter::beam
