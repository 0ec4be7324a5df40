#pragma once

#include <functional>
#include <optional>

#include "elf/loaded_objects.h"
#include "elf/stack_bytes.h"

namespace beam_exporter::elf {

// Of a thread that waits, the kernel tells rip and rsp only. Code that keeps a frame pointer (from
// OTP 26 on, `make` compiles ERTS so; Ubuntu from 24.04 on, everything) is unwound by rbp, whose
// value is then in no register that we know. But it is an address in the stack: that of the word
// below the return address.

// The place of the return address of the function that runs at `address`, with its stack pointer
// at `stack_pointer`: the first one on the stack before which the code calls this function, else
// the first one before which it calls some function by a pointer. nullopt: neither is there, within
// 32 KiB. `is_end` as for unwind().
std::optional<os::Address> find_return_address(LoadedObjects& objects, os::Address address,
                                               os::Address stack_pointer, const StackBytes& stack,
                                               const std::function<bool(os::Address)>& is_end);

}  // namespace beam_exporter::elf
