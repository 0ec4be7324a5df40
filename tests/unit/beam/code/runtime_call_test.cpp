#include "beam/code/runtime_call.h"

#include <gtest/gtest.h>

#include <vector>

#include "fakes/fake_vm.h"

namespace beam_exporter::beam {
namespace {

using Code = std::vector<std::uint8_t>;

SavedStackPointer told_by(const Layout& layout, const Code& code) {
  return saved_stack_pointer(layout, std::as_bytes(std::span(code)));
}

TEST(RuntimeCall, the_code_behind_the_call_tells_where_the_stack_pointer_is) {
  for (const char* release : {"25", "27"}) {
    const Layout layout = tests::shipped_layout(release);
    const auto stop = static_cast<std::uint8_t>(layout.process.stop.offset);
    const Code from_process = {0x90, 0x49, 0x8b, 0x65, stop, 0xc3};
    const Code from_register = {0x90, 0x90, 0x48, 0x89, 0xec, 0xc3};
    const Code from_r12 = {0x90, 0x4c, 0x89, 0xe4, 0xc3};
    EXPECT_EQ(told_by(layout, from_process), SavedStackPointer::in_process);
    EXPECT_EQ(told_by(layout, from_register), SavedStackPointer::in_rbp);
    EXPECT_EQ(told_by(layout, from_r12), SavedStackPointer::in_r12) << "OTP 24";
    Code both = from_process;
    both.insert(both.end(), from_register.begin(), from_register.end());
    EXPECT_EQ(told_by(layout, both), SavedStackPointer::in_process) << "the nearest counts";
    both = from_register;
    both.insert(both.end(), from_process.begin(), from_process.end());
    EXPECT_EQ(told_by(layout, both), SavedStackPointer::in_rbp);
  }
}

TEST(RuntimeCall, the_register_is_that_of_the_instruction) {
  EXPECT_EQ(register_of(SavedStackPointer::in_rbp), os::UserRegisters::rbp);
  EXPECT_EQ(register_of(SavedStackPointer::in_r12), os::UserRegisters::r12);
  EXPECT_EQ(register_of(SavedStackPointer::in_process), std::nullopt);
  EXPECT_EQ(register_of(SavedStackPointer::unknown), std::nullopt);
}

TEST(RuntimeCall, other_code_tells_nothing) {
  Layout layout = tests::shipped_layout("25");
  EXPECT_EQ(told_by(layout, {}), SavedStackPointer::unknown);
  EXPECT_EQ(told_by(layout, Code(128, 0x90)), SavedStackPointer::unknown);
  EXPECT_EQ(told_by(layout, {0x49, 0x8b, 0x65, 0x00}), SavedStackPointer::unknown)
      << "another field";
  EXPECT_EQ(told_by(layout, {0x48, 0x89}), SavedStackPointer::unknown) << "cut";
  layout.process.stop.offset = 300;
  EXPECT_EQ(told_by(layout, {0x49, 0x8b, 0x65, 44}), SavedStackPointer::unknown);
}

}  // namespace
}  // namespace beam_exporter::beam
