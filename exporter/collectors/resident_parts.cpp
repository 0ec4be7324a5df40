#include "collectors/resident_parts.h"

#include <algorithm>
#include <map>
#include <string>

namespace beam_exporter::collectors {

namespace {

// glibc puts one inaccessible page below each thread's stack (pthread_attr_setguardsize(3)).
constexpr std::uint64_t guard_bytes = 4096;

bool is_guard(const os::Mapping& mapping) {
  return !mapping.readable && !mapping.writable && !mapping.executable && mapping.inode == 0 &&
         mapping.range.size() == guard_bytes;
}

const char* part_of(const std::vector<os::MappingUse>& uses, std::size_t index) {
  const auto& mapping = uses[index].mapping;
  if (mapping.path.starts_with("/memfd:")) return "jit_code";
  if (mapping.inode != 0) return "files";
  if (mapping.path == "[heap]") return "c_heap";
  if (mapping.path.starts_with("[stack")) return "thread_stacks";
  if (mapping.path.empty() && mapping.executable) return "jit_code";
  if (mapping.path.empty() && mapping.writable && index > 0 && is_guard(uses[index - 1].mapping) &&
      uses[index - 1].mapping.range.end == mapping.range.begin)
    return "thread_stacks";
  return "other";
}

struct Owned {
  os::AddressRange range;
  std::string_view part;
};

bool in(const std::optional<os::AddressRange>& area, os::AddressRange range) {
  return area && range.begin < area->end && area->begin < range.end;
}

// The address ranges whose part is known, ascending and disjoint. The carriers were read before the
// cache: if a cached segment overlaps a carrier, the carrier has returned the segment since. The
// carrier wins.
std::vector<Owned> owned(const std::vector<beam::Carrier>& carriers, const BesideCarriers& beside,
                         const PartOfCarrier& part_of_carrier) {
  std::vector<Owned> all;
  if (beside.literal_area) all.push_back({*beside.literal_area, "literal_area"});
  for (const auto& carrier : carriers)
    if (const os::AddressRange range{carrier.address, carrier.address + carrier.size};
        !in(beside.literal_area, range))
      all.push_back({range, part_of_carrier(carrier)});
  std::ranges::sort(all, {}, [](const Owned& one) { return one.range.begin; });
  if (!beside.cached_segments) return all;
  const auto overlaps = [&, known = std::ssize(all)](os::AddressRange range) {
    const auto after = std::ranges::upper_bound(all.begin(), all.begin() + known, range.begin, {},
                                                [](const Owned& one) { return one.range.end; });
    return after != all.begin() + known && after->range.begin < range.end;
  };
  for (const auto& range : *beside.cached_segments)
    if (!overlaps(range)) all.push_back({range, "mseg_cache"});
  std::ranges::sort(all, {}, [](const Owned& one) { return one.range.begin; });
  return all;
}

using RangesByPart = std::map<std::string_view, std::vector<os::AddressRange>>;

// The ranges inside one mapping, by part. Neighbours of the same part become one range.
RangesByPart inside(const std::vector<Owned>& all, os::AddressRange range) {
  RangesByPart found;
  auto one = std::ranges::upper_bound(all, range.begin, {},
                                      [](const Owned& each) { return each.range.end; });
  for (; one != all.end() && one->range.begin < range.end; ++one) {
    const os::AddressRange piece{std::max(one->range.begin, range.begin),
                                 std::min(one->range.end, range.end)};
    auto& ranges = found[one->part];
    if (!ranges.empty() && ranges.back().end == piece.begin)
      ranges.back().end = piece.end;
    else
      ranges.push_back(piece);
  }
  return found;
}

}  // namespace

totals::ResidentParts resident_parts(const std::vector<os::MappingUse>& uses,
                                     const std::vector<beam::Carrier>& carriers,
                                     const BesideCarriers& beside, const ResidentIn& resident_in,
                                     const PartOfCarrier& part_of_carrier) {
  totals::ResidentParts parts;
  for (const char* part : {"c_heap", "files", "jit_code", "other", "thread_stacks"})
    parts.by_part[part] = 0;
  std::map<std::string, double> told;
  if (beside.literal_area) told["literal_area"] = 0;
  if (beside.cached_segments) told["mseg_cache"] = 0;
  const auto all = owned(carriers, beside, part_of_carrier);
  for (const auto& one : all) told.try_emplace(std::string(one.part), 0);
  double in_carriers = 0;
  bool seen = true;
  for (std::size_t k = 0; k < uses.size(); ++k) {
    const auto resident = static_cast<double>(uses[k].resident);
    parts.resident += resident;
    parts.anonymous += static_cast<double>(uses[k].anonymous);
    double left = resident;
    for (const auto& [part, ranges] : inside(all, uses[k].mapping.range)) {
      const auto own = resident_in(ranges);
      if (!own) seen = false;
      // The two numbers were read at slightly different times.
      const double pages = std::min(left, static_cast<double>(own.value_or(0)));
      told[std::string(part)] += pages;
      if (part != "literal_area" && part != "mseg_cache") in_carriers += pages;
      left -= pages;
    }
    parts.by_part[part_of(uses, k)] += left;
  }
  if (!seen) return parts;
  parts.carriers = in_carriers;
  parts.by_part.insert(told.begin(), told.end());
  return parts;
}

}  // namespace beam_exporter::collectors
