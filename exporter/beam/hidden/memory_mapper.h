#pragma once

#include "beam/hidden/literal_area.h"
#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// erts_dflt_mmapper (sys/common/erl_mmap.c, OTP 23 to 29): what maps the memory of all allocators
// but literal_alloc. That one has erts_literal_mmapper, which is known by what it holds: its super
// carrier ends where the literal area does. Three functions use both mappers, one after the other:
// erts_mseg_init (sys/common/erl_mseg.c) makes them; erts_allocator_info and reply_alloc_info
// (erl_alloc.c) tell their sizes. In two places in `code`, whose `operands` are given and of which
// `executable` is the place in the VM, the addresses of both must be taken, and both must hold what
// a mapper does. nullopt where no other mapper is taken beside that of literals, or more than one.
std::optional<os::Address> find_default_mapper(const Layout& layout, DataWords data,
                                               std::span<const std::byte> code,
                                               std::span<const RelativeOperand> operands,
                                               os::AddressRange executable,
                                               os::AddressRange literals);

}  // namespace beam_exporter::beam
