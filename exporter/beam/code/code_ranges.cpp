#include "beam/code/code_ranges.h"

#include <algorithm>
#include <tuple>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// Far more modules than a VM has; a bound for what a torn count can make us read.
constexpr std::int64_t most_modules = 1 << 17;

struct Table {
  os::Address modules = 0;
  std::int64_t count = 0;
  std::int64_t allocated = 0;
  os::Address mid = 0;
};

std::optional<Table> table_from(const RangesLayout& layout, std::span<const std::byte> bytes) {
  const StructBytes fields(bytes);
  const auto modules = fields.get(layout.modules), mid = fields.get(layout.mid);
  const auto count = fields.get(layout.count), allocated = fields.get(layout.allocated);
  if (!modules || !mid || !count || !allocated) return std::nullopt;
  return Table{*modules, *count, *allocated, *mid};
}

bool empty(const Table& table) {
  return table.modules == 0 && table.count == 0 && table.allocated == 0 && table.mid == 0;
}

// erts_end_staging_ranges: mid points into modules, n never exceeds allocated (beam_ranges.c, OTP
// 25 and 27).
bool plausible(const Layout& layout, const Table& table) {
  if (table.modules == 0 || table.modules % 8 != 0 || table.count <= 0 ||
      table.count > table.allocated || table.allocated > most_modules)
    return false;
  const std::uint64_t bytes = static_cast<std::uint64_t>(table.allocated) * layout.range.size;
  return table.mid >= table.modules && table.mid - table.modules < bytes &&
         (table.mid - table.modules) % layout.range.size == 0;
}

std::optional<std::vector<os::AddressRange>> read_table(const Layout& layout,
                                                        const os::Memory& memory,
                                                        const Table& table) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(table.count) * layout.range.size);
  if (!memory.read(table.modules, bytes)) return std::nullopt;
  std::vector<os::AddressRange> ranges;
  ranges.reserve(static_cast<std::size_t>(table.count));
  os::Address last_end = 0;
  const std::span<const std::byte> all(bytes);
  for (std::size_t at = 0; at < bytes.size(); at += layout.range.size) {
    const StructBytes entry(all.subspan(at, layout.range.size));
    const auto start = entry.get(layout.range.start), end = entry.get(layout.range.end);
    if (!start || !end || *end < *start || *start < last_end) return std::nullopt;
    last_end = *end;
    if (*end > *start)
      ranges.push_back({*start, *end});  // else it is purged (erts_remove_from_ranges)
  }
  return ranges;
}

// The table of a load that is in progress, or that was given up: its array is new, but its count
// and mid are still those of the old array (erts_start_staging_ranges).
bool half_made(const Table& table) {
  return table.modules != 0 && table.modules % 8 == 0 && table.count >= 0 &&
         table.count <= most_modules && table.allocated > 0 && table.allocated <= most_modules &&
         table.mid % 8 == 0;
}

struct Candidate {
  os::Address place = 0;
  // How likely this candidate is. A VM that has loaded little since boot may not have used all
  // three tables. Each load copies the active list into the next one, so that the active one is the
  // longest.
  int used = 0, whole = 0;
  std::int64_t active_count = 0;
};

std::optional<Candidate> candidate_from(const Layout& layout, const os::Memory& memory,
                                        std::span<const std::byte> bytes, std::uint32_t active) {
  const std::uint32_t staging = (active + 1) % code_indexes;
  Candidate candidate;
  for (std::uint32_t ix = 0; ix < code_indexes; ++ix) {
    const auto table = table_from(
        layout.ranges, bytes.subspan(std::size_t{ix} * layout.ranges.size, layout.ranges.size));
    if (!table) return std::nullopt;
    if (empty(*table) && ix != active) continue;
    ++candidate.used;
    if (plausible(layout, *table) && read_table(layout, memory, *table))
      ++candidate.whole;
    else if (ix != staging || !half_made(*table))
      return std::nullopt;
    if (ix == active) candidate.active_count = table->count;
  }
  return candidate;
}

// The active index from `data`, so that it is of the same moment as the tables in `data`.
std::optional<std::uint32_t> active_index(const StaticData& data) {
  const auto place = data.symbol("the_active_code_index");
  if (!place || *place < data.begin() || *place - data.begin() >= data.words().size() * 8 ||
      *place % 4 != 0)
    return std::nullopt;
  const std::uint64_t offset = *place - data.begin();
  const auto index = static_cast<std::uint32_t>(data.words()[offset / 8] >> offset % 8 * 8);
  return index < code_indexes ? std::optional(index) : std::nullopt;
}

}  // namespace

std::vector<os::Address> find_code_ranges(const Layout& layout, const StaticData& data,
                                          const os::Memory& memory) {
  const std::size_t table_bytes = layout.ranges.size;
  const auto active = active_index(data);
  if (table_bytes == 0 || !active) return {};
  const auto bytes = std::as_bytes(std::span(data.words()));
  std::vector<Candidate> candidates;
  for (std::size_t at = 0; at + table_bytes * code_indexes <= bytes.size(); at += 8) {
    auto candidate =
        candidate_from(layout, memory, bytes.subspan(at, table_bytes * code_indexes), *active);
    if (!candidate) continue;
    candidate->place = data.address_of(at / 8);
    candidates.push_back(*candidate);
  }
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.used, a.whole, a.active_count) > std::tie(b.used, b.whole, b.active_count);
  });
  std::vector<os::Address> places;
  for (const auto& candidate : candidates) {
    const auto overlaps = [&](os::Address other) {
      const auto apart = std::max(other, candidate.place) - std::min(other, candidate.place);
      return apart < table_bytes * code_indexes;
    };
    if (std::ranges::none_of(places, overlaps)) places.push_back(candidate.place);
  }
  return places;
}

std::optional<CodeRanges> read_code_ranges(const Layout& layout, const os::Memory& memory,
                                           const CodeRangesPlace& place) {
  const auto index = memory.value<std::uint32_t>(place.active_index);
  if (!index || *index >= code_indexes) return std::nullopt;
  const auto bytes = read_struct(memory, place.ranges + *index * std::uint64_t{layout.ranges.size},
                                 layout.ranges.size);
  if (!bytes) return std::nullopt;
  const auto table = table_from(layout.ranges, *bytes);
  if (!table || !plausible(layout, *table)) return std::nullopt;
  auto ranges = read_table(layout, memory, *table);
  if (!ranges) return std::nullopt;
  // The VM replaces the active table only after two more loads are committed; until then it changes
  // `mid`, and `end` of a module that it purges (beam_ranges.c, OTP 25 and 27). If the index has
  // not changed meanwhile, what we read is consistent.
  if (memory.value<std::uint32_t>(place.active_index) != index) return std::nullopt;
  return CodeRanges{*index, std::move(*ranges)};
}

}  // namespace beam_exporter::beam
