#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "os/address.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::beam {

// A call by its address, behind which the code adds one to a member of a struct, as INC_CC does in
// the functions that get carriers (erl_alloc_util.c, OTP 23 to 29). So the register that holds the
// address of that struct holds it during the call too: it is one that C functions preserve (System
// V ABI x86-64, figure 3.4).
struct CountedCall {
  os::Address function = 0;                                   // that is called
  os::Address return_to = 0;                                  // the address behind the call
  os::UserRegisters::Index counted = os::UserRegisters::rbx;  // has the address of the struct
  std::int32_t counter = 0;                                   // where the member is in it
  friend bool operator==(const CountedCall&, const CountedCall&) = default;
};

// The first 4,096 such calls in `code`, which stands at `begin`, in order. Every byte is tried as
// the begin of a call.
std::vector<CountedCall> counted_calls(std::span<const std::byte> code, os::Address begin);

}  // namespace beam_exporter::beam
