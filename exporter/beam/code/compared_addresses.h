#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "os/address.h"

namespace beam_exporter::beam {

// Which of `functions` code that stands at `begin` compares a pointer with, each once.
// gcc 16 does that with functions whose address is stored in a member of structs, and older ones
// when a profile guides them: a call by such a member becomes `if (pointer == function)` with a
// copy of that function, and the call for all others. The function is then not entered. x86-64: the
// address comes from `lea function(%rip), register`, or is a constant of the comparison (Intel SDM
// vol. 2: LEA, CMP).
std::vector<os::Address> compared_addresses(std::span<const std::byte> code, os::Address begin,
                                            std::span<const os::Address> functions);

}  // namespace beam_exporter::beam
