#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "os/address.h"

namespace beam_exporter::os {

// The x86-64 general registers of a thread's user state, in DWARF register order (System V ABI
// x86-64, figure 3.36), so that call frame rules index them directly.
struct UserRegisters {
  enum Index {
    rax,
    rdx,
    rcx,
    rbx,
    rsi,
    rdi,
    rbp,
    rsp,
    r8,
    r9,
    r10,
    r11,
    r12,
    r13,
    r14,
    r15,
    rip,
    count
  };
  std::array<std::uint64_t, count> value{};

  std::uint64_t operator[](Index index) const { return value[index]; }
};

// As debuggers name it: "rbx".
constexpr std::string_view register_name(UserRegisters::Index index) {
  constexpr std::array<std::string_view, UserRegisters::count> names = {
      "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
  return names[index];
}

}  // namespace beam_exporter::os
