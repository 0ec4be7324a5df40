#include "beam/code/call_site.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace beam_exporter::beam {
namespace {

// `instruction` right before the return address, behind bytes that are part of nothing.
bool is_call(const std::vector<std::uint8_t>& instruction, std::uint8_t before = 0x90) {
  std::array<std::byte, call_site_bytes> bytes;
  bytes.fill(std::byte{before});
  const std::size_t used = std::min(instruction.size(), bytes.size());
  for (std::size_t k = 0; k < used; ++k)
    bytes[bytes.size() - 1 - k] = std::byte{instruction[instruction.size() - 1 - k]};
  return ends_with_call(bytes);
}

TEST(CallSite, every_form_of_a_near_call) {
  const std::vector<std::vector<std::uint8_t>> calls = {
      {0xe8, 0x11, 0x22, 0x33, 0x44},                    // call rel32
      {0xe8, 0xff, 0xff, 0xff, 0xff},                    // backwards
      {0xff, 0xd0},                                      // call rax
      {0xff, 0xd7},                                      // call rdi
      {0x41, 0xff, 0xd7},                                // call r15
      {0xff, 0x10},                                      // call [rax]
      {0x41, 0xff, 0x13},                                // call [r11]
      {0xff, 0x14, 0x24},                                // call [rsp]
      {0x41, 0xff, 0x14, 0x24},                          // call [r12]
      {0xff, 0x14, 0xc8},                                // call [rax+rcx*8]
      {0xff, 0x53, 0x08},                                // call [rbx+8]
      {0x41, 0xff, 0x55, 0x00},                          // call [r13]
      {0xff, 0x54, 0x24, 0x10},                          // call [rsp+16]
      {0x41, 0xff, 0x54, 0x24, 0x10},                    // call [r12+16]
      {0xff, 0x15, 0x11, 0x22, 0x33, 0x44},              // call [rip+disp32]
      {0xff, 0x93, 0x00, 0x01, 0x00, 0x00},              // call [rbx+256]
      {0x41, 0xff, 0x97, 0x00, 0x01, 0x00, 0x00},        // call [r15+256]
      {0xff, 0x94, 0x24, 0x00, 0x01, 0x00, 0x00},        // call [rsp+256]
      {0xff, 0x94, 0xc8, 0x00, 0x01, 0x00, 0x00},        // call [rax+rcx*8+256]
      {0xff, 0x14, 0x25, 0x00, 0x01, 0x00, 0x00},        // call [256]
      {0xff, 0x14, 0xc5, 0x00, 0x01, 0x00, 0x00},        // call [rax*8+256]
      {0x41, 0xff, 0x94, 0x24, 0x00, 0x01, 0x00, 0x00},  // call [r12+256]
  };
  for (const auto& call : calls) EXPECT_TRUE(is_call(call)) << ::testing::PrintToString(call);
}

TEST(CallSite, other_instructions_are_none) {
  const std::vector<std::vector<std::uint8_t>> others = {
      {0x90},                                // nop
      {0xc3},                                // ret
      {0xe9, 0x11, 0x22, 0x33, 0x44},        // jmp rel32
      {0xff, 0xe0},                          // jmp rax
      {0xff, 0x60, 0x08},                    // jmp [rax+8]
      {0xff, 0x25, 0x11, 0x22, 0x33, 0x44},  // jmp [rip+disp32]
      {0xff, 0xf0},                          // push rax
      {0xff, 0x30},                          // push [rax]
      {0xff, 0xc0},                          // inc eax
      {0xff, 0xd8},                          // call far: FF /3
      {0xff, 0x1c, 0x24},                    // call far [rsp]
      {0x48, 0x89, 0xc7},                    // mov rdi, rax
      {0x0f, 0x0b},                          // ud2
  };
  for (const auto& other : others) EXPECT_FALSE(is_call(other)) << ::testing::PrintToString(other);
}

TEST(CallSite, the_call_must_end_at_the_return_address) {
  EXPECT_FALSE(is_call({0xe8, 0x11, 0x22, 0x33, 0x44, 0x90}));
  EXPECT_FALSE(is_call({0xff, 0xd0, 0x90}));
  EXPECT_FALSE(is_call({0xff, 0x54, 0x24}));        // displacement missing
  EXPECT_FALSE(is_call({0xff, 0x15, 0x11, 0x22}));  // displacement missing
  EXPECT_FALSE(is_call({0xff, 0x10, 0x00}));        // [rax] takes no displacement
  EXPECT_FALSE(is_call({}, 0x00));
}

TEST(NearTarget, is_counted_from_the_end_of_the_instruction) {
  const auto bytes = [](std::initializer_list<unsigned> values) {
    std::vector<std::byte> out;
    for (const unsigned value : values) out.push_back(static_cast<std::byte>(value));
    return out;
  };
  EXPECT_EQ(near_target(near_call, bytes({0x90, 0xe8, 0x10, 0, 0, 0}), 0x1000), 0x1010u);
  EXPECT_EQ(near_target(near_jump, bytes({0xe9, 0xf0, 0xff, 0xff, 0xff}), 0x1000), 0xff0u);
  EXPECT_EQ(near_target(near_jump, bytes({0xe8, 0, 0, 0, 0}), 0x1000), std::nullopt);
  EXPECT_EQ(near_target(near_call, bytes({0xe8, 0, 0, 0}), 0x1000), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::beam
