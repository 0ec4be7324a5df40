#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// dirty_gc.info.garbage_cols, a static variable of erl_gc.c, which no release exports (OTP 24 to
// 29): dirty_gc is a mutex, and behind it an ErtsGCInfo: reclaimed, garbage_cols (erl_gc.h). Three
// functions use it, and the ErtsGCInfo of a scheduler too: erts_init_gc clears both,
// garbage_collect counts in one of them, reply_gc_info adds both.
// So code takes the address of the mutex beside a use of what stands behind it, and not far from
// there is the offset of a scheduler's counters. Two such places must have the same mutex, in
// `data`, and its counters must be possible. `code` is the executable's, which stands at `begin` in
// the VM. nullopt where no code does that, or code with more than one such mutex.
std::optional<os::Address> find_dirty_collections(const Layout& layout,
                                                  std::span<const std::byte> code,
                                                  os::Address begin, os::AddressRange data,
                                                  const os::Memory& memory);

}  // namespace beam_exporter::beam
