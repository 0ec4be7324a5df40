#pragma once

#include <functional>
#include <optional>

#include "elf/loaded_objects.h"
#include "elf/stack_bytes.h"

namespace beam_exporter::elf {

// Where .eh_frame does not lead from a function to its caller, the return address is found on the
// stack, by the call before it. The functions search 32 KiB from `stack_pointer` on, which is that
// of the code at `address`, for the place of the return address; nullopt: it is not there.
// `is_end` as for unwind().

// Of code that keeps a frame pointer (from OTP 26 on, `make` compiles ERTS so; Ubuntu from 24.04
// on, everything), when rbp is not known: of a thread that waits, the kernel tells rip and rsp
// only. rbp is the address of the word below the return address: the first one before which the
// code calls this function, or one that jumps to it, else the first one before which it calls some
// function by a pointer.
std::optional<os::Address> find_framed_return(LoadedObjects& objects, os::Address address,
                                              os::Address stack_pointer, const StackBytes& stack,
                                              const std::function<bool(os::Address)>& is_end);

// Of code that has no rules in .eh_frame, as musl's libc, or assembly: the return addresses before
// which the code calls this file's code without rules, perhaps another function of it that has
// jumped to this one; then those before which it calls some function by a pointer. Each may be one
// that an earlier call has left on the stack: `leads_on(place)` is asked about them in this order,
// 32 at most, until it is true.
void try_bare_returns(LoadedObjects& objects, os::Address address, os::Address stack_pointer,
                      const StackBytes& stack, const std::function<bool(os::Address)>& is_end,
                      const std::function<bool(os::Address)>& leads_on);

// Whether the call before that return address may have led to the code at `callee`, perhaps by
// functions that have jumped to it.
bool may_have_called(LoadedObjects& objects, os::Address return_address, os::Address callee);

// Whether the code there ends its thread, as musl's clone() does when the thread's first function
// returns; glibc's says the same in .eh_frame.
bool ends_the_thread(LoadedObjects& objects, os::Address return_address);

}  // namespace beam_exporter::elf
