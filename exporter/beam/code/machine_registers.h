#pragma once

#include <array>

#include "os/perf/user_registers.h"

namespace beam_exporter::beam {

// By the number that instructions have for them (Intel SDM vol. 2, table 2-2).
constexpr std::array<os::UserRegisters::Index, 16> register_by_number = {
    os::UserRegisters::rax, os::UserRegisters::rcx, os::UserRegisters::rdx, os::UserRegisters::rbx,
    os::UserRegisters::rsp, os::UserRegisters::rbp, os::UserRegisters::rsi, os::UserRegisters::rdi,
    os::UserRegisters::r8,  os::UserRegisters::r9,  os::UserRegisters::r10, os::UserRegisters::r11,
    os::UserRegisters::r12, os::UserRegisters::r13, os::UserRegisters::r14, os::UserRegisters::r15};

// C functions leave these as they were (System V ABI x86-64, figure 3.4).
constexpr bool is_preserved(os::UserRegisters::Index index) {
  return index == os::UserRegisters::rbx || index == os::UserRegisters::rbp ||
         (index >= os::UserRegisters::r12 && index <= os::UserRegisters::r15);
}

}  // namespace beam_exporter::beam
