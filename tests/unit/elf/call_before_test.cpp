#include "elf/call_before.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "os/memory/process_memory.h"

namespace beam_exporter::elf {
namespace {

using Kind = CallBefore::Kind;
using Bytes = std::vector<std::uint8_t>;

// Code in this test's own memory: a call that ends at byte 64, an entry of a PLT at 128, a slot at
// 192 that holds `function`.
class Code {
 public:
  static constexpr os::Address function = 0x7000'1234'5678;

  explicit Code(Bytes call, Bytes plt = {}) {
    std::memcpy(&code_[64 - call.size()], call.data(), call.size());
    if (!plt.empty()) std::memcpy(&code_[128], plt.data(), plt.size());
    std::memcpy(&code_[192], &function, sizeof function);
  }
  CallBefore call() const { return call_before(os::ProcessMemory(getpid()), at(64)); }
  os::Address at(std::size_t place) const {
    return reinterpret_cast<os::Address>(code_.data()) + place;
  }

 private:
  std::array<std::uint8_t, 256> code_{};
};

void expect(const Code& code, Kind kind, os::Address function) {
  EXPECT_EQ(code.call().kind, kind);
  EXPECT_EQ(code.call().function, function);
}

TEST(CallBeforeTest, a_direct_call_leads_forwards_and_backwards) {
  const Code forwards({0xe8, 32, 0, 0, 0}), backwards({0xe8, 0xe0, 0xff, 0xff, 0xff});
  expect(forwards, Kind::to, forwards.at(96));
  expect(backwards, Kind::to, backwards.at(32));
}

TEST(CallBeforeTest, an_entry_of_a_plt_leads_on_to_what_its_slot_holds) {
  const Bytes call = {0xe8, 64, 0, 0, 0};
  expect(Code(call, {0xff, 0x25, 192 - 134, 0, 0, 0}), Kind::to, Code::function);
  expect(Code(call, {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 192 - 138, 0, 0, 0}), Kind::to,
         Code::function);
  expect(Code(call, {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 192 - 139, 0, 0, 0}), Kind::to,
         Code::function);
}

TEST(CallBeforeTest, a_call_by_a_slot_leads_to_what_it_holds) {
  expect(Code({0xff, 0x15, 128, 0, 0, 0}), Kind::by_slot, Code::function);
}

TEST(CallBeforeTest, a_call_by_a_pointer_does_not_tell) {
  for (const Bytes& call : {Bytes{0xff, 0xd0},                       // call *%rax
                            Bytes{0x41, 0xff, 0xd3},                 // call *%r11
                            Bytes{0xff, 0x53, 0x10},                 // call *16(%rbx)
                            Bytes{0x41, 0xff, 0x54, 0x24, 0x08},     // call *8(%r12)
                            Bytes{0xff, 0x14, 0xc5, 0, 0, 0, 0x10},  // call *table(,%rax,8)
                            Bytes{0xff, 0x90, 0, 1, 0, 0}})          // call *256(%rax)
    expect(Code(call), Kind::by_pointer, 0);
}

TEST(CallBeforeTest, other_code_is_no_call) {
  expect(Code({0x48, 0x89, 0xd8}), Kind::none, 0);  // mov %rbx, %rax
  expect(Code({0xff, 0xe0}), Kind::none, 0);        // jmp *%rax
  expect(Code({0xff, 0x75, 0x10}), Kind::none, 0);  // push 16(%rbp)
}

TEST(CallBeforeTest, nor_is_what_cannot_be_read) {
  for (const os::Address at : {os::Address{0}, os::Address{7}, os::Address{4096}, ~os::Address{0}})
    EXPECT_EQ(call_before(os::ProcessMemory(getpid()), at).kind, Kind::none);
}

}  // namespace
}  // namespace beam_exporter::elf
