#pragma once

#include <optional>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// The VM's own list of where code is: struct ranges r[3] of beam_ranges.c, one per code index, and
// which of the three is active. `r` is static, hence absent from .dynsym: found by its shape.
struct CodeRangesPlace {
  os::Address ranges = 0;        // r[0]
  os::Address active_index = 0;  // the_active_code_index
};

// Candidates, the likeliest first; the caller proves one by decoding the code behind it. Candidates
// that share a table with a likelier one are left out: off by one table, the active index leads to
// an older list, which decodes as well.
std::vector<os::Address> find_code_ranges(const Layout& layout, const StaticData& data,
                                          const os::Memory& memory);

// The active table at one moment. Purged entries (end == start) are left out.
struct CodeRanges {
  std::uint32_t active_index = 0;
  std::vector<os::AddressRange> ranges;  // ascending, disjoint
  friend bool operator==(const CodeRanges&, const CodeRanges&) = default;
};

// nullopt when it could not be read whole and orderly (a load in progress: try again later).
std::optional<CodeRanges> read_code_ranges(const Layout& layout, const os::Memory& memory,
                                           const CodeRangesPlace& place);

}  // namespace beam_exporter::beam
