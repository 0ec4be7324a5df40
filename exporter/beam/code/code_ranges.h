#pragma once

#include <optional>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// ERTS_NUM_CODE_IX, erts/emulator/beam/code_ix.h (OTP 23, 25, 26, 27 and 29).
inline constexpr std::uint32_t code_indexes = 3;

// Where the VM's own list of code is: struct ranges r[3] of beam_ranges.c (OTP 25 and 27), one per
// code index, and the index of the active one. `r` is static and so has no symbol in .dynsym: we
// find it by its shape.
struct CodeRangesPlace {
  os::Address ranges = 0;        // r[0]
  os::Address active_index = 0;  // the_active_code_index
};

// Possible places of r[0], the likeliest first. The caller proves one: it decodes the code that the
// list points to. A candidate that overlaps a likelier one is left out: if the place is wrong by
// one table, the active index selects an older list, which decodes as well.
std::vector<os::Address> find_code_ranges(const Layout& layout, const StaticData& data,
                                          const os::Memory& memory);

// The active table at one moment. Purged entries (end == start) are left out.
struct CodeRanges {
  std::uint32_t active_index = 0;
  std::vector<os::AddressRange> ranges;  // ascending, disjoint
  friend bool operator==(const CodeRanges&, const CodeRanges&) = default;
};

// nullopt when the table could not be read, or is not in order (a load is in progress: try again
// later).
std::optional<CodeRanges> read_code_ranges(const Layout& layout, const os::Memory& memory,
                                           const CodeRangesPlace& place);

}  // namespace beam_exporter::beam
