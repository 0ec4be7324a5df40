#pragma once

#include <optional>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// _TAG_HEADER_HEAP_BITS, erl_term.h (OTP 27 and 29): of an ErlHeapBits. In releases without that
// struct this value means another term.
inline constexpr Eterm heap_bits_header = 0x20;

// Where the bytes of a binary term are, in releases with ErlHeapBits: on the heap up to 64 bytes
// (ERL_ONHEAP_BINARY_LIMIT, erl_binary.h), else wherever its ErlSubBits says. nullopt when it is no
// such term, does not begin at a whole byte, or cannot be read. Any thread.
std::optional<os::Address> bytes_of_bitstring(const Layout& layout, const os::Memory& memory,
                                              Eterm term);

}  // namespace beam_exporter::beam
