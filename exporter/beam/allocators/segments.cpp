#include "beam/allocators/segments.h"

#include <algorithm>
#include <array>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// The size of user space: larger values are torn.
constexpr std::uint64_t end_of_addresses = std::uint64_t{1} << 47;
// One cache for each scheduler, one for each dirty allocator instance (+Mdai), and one for all
// other threads (erts_mseg_init in sys/common/erl_mseg.c, OTP 25 and 27); at most 1,024 of each
// kind.
constexpr std::size_t most_caches = 2 * 1024 + 1;
// ERTS_ALC_CACHE_LINE_ALIGN_SIZE, erl_alloc.h (OTP 25 and 27).
constexpr std::uint32_t cache_line = 64;
constexpr std::uint64_t page = 4096;

std::uint32_t stride_of(const SegmentCacheLayout& at) {
  return (at.size + cache_line - 1) / cache_line * cache_line;
}

}  // namespace

Segments::Segments(const Layout& layout, const StaticData& data, const os::Memory& memory)
    : layout_(&layout), memory_(&memory), mapper_(data.symbol("erts_dflt_mmapper")) {
  find_caches(data);
  const auto start_at = data.symbol("erts_literals_start"),
             size_at = data.symbol("erts_literals_size");
  if (!start_at || !size_at) return;
  const auto start = memory.value<os::Address>(*start_at);
  const auto size = memory.value<std::uint64_t>(*size_at);
  if (start && size && *start != 0 && *size != 0 && *start < end_of_addresses &&
      *size < end_of_addresses)
    literal_area_ = os::AddressRange{*start, *start + *size};
}

std::optional<std::uint64_t> Segments::cached_bytes(
    const AllocatorSet& set, const std::vector<AllocatorStatistics>& statistics) const {
  if (!mapper_) return std::nullopt;
  const auto& at = layout_->allocators.mapper;
  const auto bytes = read_struct(*memory_, *mapper_, at.size);
  if (!bytes) return std::nullopt;
  const StructBytes mapper(*bytes);
  std::uint64_t taken = 0;
  // With +MMscs all of it is part of one large mapping; otherwise the system provides it piece by
  // piece.
  for (const auto field : {at.from_system, at.super_aligned, at.super_unaligned}) {
    const auto part = mapper.get(field);
    if (!part || *part > end_of_addresses) return std::nullopt;
    taken += *part;
  }
  std::uint64_t in_use = 0, in_pools = 0, system_carriers_away = 0;
  bool counted = true;
  for (std::size_t k = 0; k < set.instances.size() && k < statistics.size(); ++k) {
    // literal_alloc has a mapper of its own.
    if (set.names[set.instances[k].allocator] == "literal_alloc") continue;
    in_use += statistics[k].segment_bytes;
    in_pools += statistics[k].pool.carrier_bytes;
    counted = counted && statistics[k].system_carriers_away;
    system_carriers_away += statistics[k].system_carriers_away.value_or(0);
  }
  // A multi-block carrier is from malloc after +M<S>mmmbc or +Mummc mapped ones, or when the VM
  // could not map one (create_carrier, erl_alloc_util.c, OTP 25 and 27). The VM abandons such a
  // carrier like any other, and does not tell how many bytes of a pool are from malloc.
  if (in_pools > 0 && (!counted || system_carriers_away != 0)) return std::nullopt;
  if (in_use + in_pools > taken) return std::nullopt;
  return taken - in_use - in_pools;
}

// The array has no symbol. We recognize it: a static pointer points to a row of caches, each of
// which holds its own index.
void Segments::find_caches(const StaticData& data) {
  const auto& at = layout_->allocators.segment_cache;
  if (!at.index.present() || !at.ready.present() || !at.first_size.present()) return;
  const auto is_cache = [&](os::Address cache, std::size_t index) {
    const auto head = memory_->value<std::array<std::int32_t, 2>>(at.index.at(cache));
    return head && (*head)[0] == static_cast<std::int32_t>(index) && (*head)[1] == 1;
  };
  for (const os::Address candidate : data.words()) {
    if (candidate == 0 || candidate % cache_line != 0 || candidate >= end_of_addresses) continue;
    std::size_t count = 0;
    while (count < most_caches && is_cache(candidate + count * stride_of(at), count)) ++count;
    // At least two: one for a scheduler, one for all other threads. The longest array is the right
    // one.
    if (count < 2 || count <= cache_count_) continue;
    caches_ = candidate;
    cache_count_ = count;
  }
}

std::optional<std::vector<os::AddressRange>> Segments::cached_segments() const {
  if (cache_count_ == 0) return std::nullopt;
  const auto& at = layout_->allocators.segment_cache;
  const auto& element = layout_->allocators.cached_segment;
  const std::uint32_t step = element.size;
  if (step == 0 || !element.segment.present()) return std::nullopt;
  std::vector<std::byte> bytes(cache_count_ * stride_of(at));
  if (!memory_->read(caches_, bytes)) return std::nullopt;
  std::vector<os::AddressRange> found;
  for (std::size_t k = 0; k < cache_count_; ++k) {
    const StructBytes cache(std::span<const std::byte>(bytes).subspan(k * stride_of(at), at.size));
    if (cache.get(at.index) != static_cast<std::int32_t>(k)) return std::nullopt;
    for (std::uint32_t to = 0; at.first_size.offset + to < at.after_last.offset; to += step) {
      const auto size =
          cache.get(Field<std::uint64_t>{at.first_size.offset + to, at.first_size.width});
      const auto begin = cache.get(Field<os::Address>{
          at.first_size.offset + to + element.segment.offset, element.segment.width});
      if (!size || !begin || (*size == 0) != (*begin == 0) || *size >= end_of_addresses ||
          *begin >= end_of_addresses || *begin % page != 0)
        return std::nullopt;
      if (*size != 0) found.push_back({*begin, *begin + *size});
    }
  }
  std::ranges::sort(found, {}, &os::AddressRange::begin);
  const auto overlap = std::ranges::adjacent_find(
      found, [](const auto& a, const auto& b) { return b.begin < a.end; });
  if (overlap != found.end()) return std::nullopt;
  return found;
}

}  // namespace beam_exporter::beam
