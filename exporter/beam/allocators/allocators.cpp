#include "beam/allocators/allocators.h"

#include <algorithm>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

constexpr int most_tries = 5;
// The search gives up after this many blocks of a list, or levels of a tree.
constexpr int most_hops = 4096;
// User space is not larger: neither is a carrier, or the sum of all.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 47;

// ERTS_CRR_ALLOC_COUNT, erl_alloc_util.h (OTP 25 and 27).
constexpr std::size_t counted_carriers = 3;  // mseg, sys_alloc, spare

struct Sum {
  std::uint64_t count = 0, bytes = 0;
  bool whole = true;
};

// Sums `elements` pairs of count and size, which are `stride` bytes apart. If one number of a pair
// is zero, the other must be zero too.
Sum sum_of(StructBytes all, Field<std::uint64_t> count, Field<std::uint64_t> size,
           std::uint32_t stride, std::size_t elements) {
  Sum sum;
  for (std::size_t k = 0; k < elements; ++k) {
    const auto step = static_cast<std::uint32_t>(k * stride);
    const auto n = all.get(Field<std::uint64_t>{count.offset + step, count.width});
    const auto bytes = all.get(Field<std::uint64_t>{size.offset + step, size.width});
    if (!n || !bytes || (*n == 0) != (*bytes == 0) || *n > *bytes || *bytes > most_bytes) {
      sum.whole = false;
      return sum;
    }
    sum.count += *n;
    sum.bytes += *bytes;
  }
  return sum;
}

}  // namespace

struct AllocatorReader::Cursor {
  os::Address at = 0;  // what to read next; 0: done
  std::uint32_t bytes = 0;
  std::uint64_t best = 0;
  int hops = 0;
};

AllocatorReader::AllocatorReader(const Layout& layout, const os::Memory& memory,
                                 const AllocatorSet& set)
    : layout_(&layout), memory_(&memory), set_(&set) {
  const auto& structs = layout.allocators;
  for (const auto& instance : set.instances) {
    const std::uint32_t size =
        instance.strategy == AllocatorStrategy::good_fit   ? structs.good_fit.size
        : instance.strategy == AllocatorStrategy::best_fit ? structs.best_fit.size
        : instance.strategy == AllocatorStrategy::a_fit    ? structs.a_fit.size
                                                           : structs.first_fit.size;
    bytes_.emplace_back(size);
  }
  statistics_.resize(set.instances.size());
}

std::optional<std::vector<AllocatorStatistics>> AllocatorReader::read() {
  std::vector<std::size_t> wanted(set_->instances.size()), failed;
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = k;
  for (int tries = 0; tries < most_tries; ++tries) {
    std::vector<os::ReadRequest> requests;
    requests.reserve(wanted.size());
    for (const std::size_t k : wanted) requests.push_back({set_->instances[k].address, bytes_[k]});
    memory_->read_batch(requests);
    std::vector<std::size_t> good;
    failed.clear();
    for (std::size_t k = 0; k < wanted.size(); ++k)
      (requests[k].ok && take(wanted[k]) ? good : failed).push_back(wanted[k]);
    find_largest(good, failed);
    if (failed.empty()) return statistics_;
    retries_ += failed.size();
    wanted.swap(failed);
  }
  return std::nullopt;
}

bool AllocatorReader::take(std::size_t instance) {
  const auto& known = set_->instances[instance];
  const auto& structs = layout_->allocators;
  const auto& at = structs.allocator;
  const StructBytes all(bytes_[instance]);
  if (all.get(at.number) != static_cast<std::int32_t>(known.allocator) ||
      all.get(at.index) != static_cast<std::int32_t>(known.index) ||
      all.get(at.header_bytes) != known.header_bytes)
    return false;

  const std::uint32_t pair = structs.carrier_count.size, row = structs.block_count.size;
  const auto mbcs = sum_of(all, at.mbcs_carriers, at.mbcs_carrier_bytes, pair, counted_carriers);
  const auto mbcs_blocks = sum_of(all, at.mbcs_blocks, at.mbcs_block_bytes, row, set_->kinds);
  const auto sbcs = sum_of(all, at.sbcs_carriers, at.sbcs_carrier_bytes, pair, counted_carriers);
  const auto sbcs_blocks = sum_of(all, at.sbcs_blocks, at.sbcs_block_bytes, row, set_->kinds);
  const auto pool_blocks = sum_of(all, at.pool_blocks, at.pool_block_bytes, 8, set_->kinds);
  const auto pool_bytes = all.get(at.pool_carrier_bytes).value_or(most_bytes + 1);
  if (!mbcs.whole || !mbcs_blocks.whole || !sbcs.whole || !sbcs_blocks.whole ||
      !pool_blocks.whole || pool_bytes > most_bytes)
    return false;

  AllocatorStatistics now;
  now.multi_block = {mbcs.count, mbcs.bytes, mbcs_blocks.count, mbcs_blocks.bytes};
  now.single_block = {sbcs.count, sbcs.bytes, sbcs_blocks.count, sbcs_blocks.bytes};
  now.pool = {all.get(at.pool_carriers).value_or(0), pool_bytes, pool_blocks.count,
              pool_blocks.bytes};
  // The first element of each array is ERTS_CRR_ALLOC_MSEG, the second ERTS_CRR_ALLOC_SYS
  // (erl_alloc_util.h, OTP 25 and 27).
  now.segment_bytes =
      all.get(at.mbcs_carrier_bytes).value_or(0) + all.get(at.sbcs_carrier_bytes).value_or(0);
  const auto system_carriers = [&](Field<std::uint64_t> first) {
    return all.get(Field<std::uint64_t>{first.offset + pair, first.width}).value_or(0);
  };
  const auto system_allocs = all.get(at.system_allocs), system_frees = all.get(at.system_frees);
  if (system_allocs && system_frees)
    now.system_carriers_away = *system_allocs - *system_frees - system_carriers(at.mbcs_carriers) -
                               system_carriers(at.sbcs_carriers);
  now.multi_block_list = all.get(at.multi_block_list).value_or(0);
  now.single_block_list = all.get(at.single_block_list).value_or(0);
  const std::uint64_t taken = mbcs.count * known.header_bytes + mbcs_blocks.bytes;
  if (sbcs.count != sbcs_blocks.count || sbcs_blocks.bytes > sbcs.bytes || taken > mbcs.bytes ||
      pool_blocks.bytes > pool_bytes || (mbcs.count == 0) != (now.multi_block_list == 0) ||
      (sbcs.count == 0) != (now.single_block_list == 0))
    return false;
  now.free_bytes = mbcs.bytes - taken;
  now.operations = all.get(at.allocations).value_or(0) + all.get(at.frees).value_or(0) +
                   all.get(at.reallocations).value_or(0);
  if (known.strategy == AllocatorStrategy::address_order_first_fit)
    now.carrier_tree = all.get(structs.first_fit.root).value_or(0);
  statistics_[instance] = now;
  return true;
}

void AllocatorReader::begin_largest(std::size_t instance, Cursor& cursor) const {
  const auto& structs = layout_->allocators;
  const StructBytes all(bytes_[instance]);
  switch (set_->instances[instance].strategy) {
    case AllocatorStrategy::address_order_first_fit:
      // A pointer of the tree points to the node, which lies inside the carrier's header.
      cursor.at = statistics_[instance].carrier_tree;
      if (cursor.at != 0) cursor.at -= structs.first_fit_carrier.largest.offset;
      cursor.bytes = structs.first_fit_carrier.size;
      break;
    case AllocatorStrategy::best_fit:
      cursor.at = all.get(structs.best_fit.root).value_or(0);
      cursor.bytes = structs.best_fit_block.next.offset;
      break;
    case AllocatorStrategy::a_fit:
      cursor.at = all.get(structs.a_fit.free_list).value_or(0);
      cursor.bytes = structs.a_fit_block.size;
      break;
    case AllocatorStrategy::good_fit: {
      // Each bucket holds larger blocks than the one before: the largest block is in the last
      // bucket that is not empty.
      const std::size_t buckets = (bytes_[instance].size() - structs.good_fit.buckets.offset) / 8;
      for (std::size_t k = std::min<std::size_t>(buckets, 256); k-- > 0 && cursor.at == 0;)
        cursor.at =
            all.get(Field<os::Address>{
                        structs.good_fit.buckets.offset + static_cast<std::uint32_t>(k) * 8, 8})
                .value_or(0);
      cursor.bytes = structs.good_fit_block.size;
      break;
    }
  }
}

// Each round makes one read per instance, all in one batch.
void AllocatorReader::find_largest(std::vector<std::size_t>& instances,
                                   std::vector<std::size_t>& failed) {
  std::vector<Cursor> cursors(instances.size());
  for (std::size_t k = 0; k < instances.size(); ++k) begin_largest(instances[k], cursors[k]);
  std::vector<std::vector<std::byte>> buffers(instances.size());
  for (;;) {
    std::vector<os::ReadRequest> requests;
    std::vector<std::size_t> asked;
    for (std::size_t k = 0; k < cursors.size(); ++k) {
      if (cursors[k].at == 0) continue;
      buffers[k].resize(cursors[k].bytes);
      requests.push_back({cursors[k].at, buffers[k]});
      asked.push_back(k);
    }
    if (requests.empty()) break;
    memory_->read_batch(requests);
    for (std::size_t r = 0; r < asked.size(); ++r) {
      const std::size_t k = asked[r];
      if (requests[r].ok && advance(instances[k], cursors[k], buffers[k])) continue;
      failed.push_back(instances[k]);
      cursors[k] = {};
    }
  }
  for (std::size_t k = 0; k < instances.size(); ++k)
    statistics_[instances[k]].largest_free = cursors[k].best;
}

// False when these bytes cannot be part of that instance.
bool AllocatorReader::advance(std::size_t instance, Cursor& cursor,
                              std::span<const std::byte> bytes) {
  const auto& structs = layout_->allocators;
  const auto& known = set_->instances[instance];
  const StructBytes read(bytes);
  const std::uint64_t room = statistics_[instance].free_bytes;
  if (++cursor.hops > most_hops) return false;
  switch (known.strategy) {
    case AllocatorStrategy::address_order_first_fit: {
      const auto& at = structs.first_fit_carrier;
      const std::uint64_t own = free_block_bytes(read.get(at.largest).value_or(0));
      cursor.best = read.get(at.subtree_largest).value_or(0);
      // The low bits of Carrier_t.allctr are flags: ERTS_CRR_ALCTR_FLG_MASK, erl_alloc_util.c (OTP
      // 25 and 27).
      const os::Address owner = read.get(structs.carrier.owner).value_or(0) & ~std::uint64_t{7};
      cursor.at = 0;
      return owner == known.address && read.get(at.parent) == 0 && own <= cursor.best &&
             cursor.best <= room;
    }
    case AllocatorStrategy::best_fit:
      cursor.best = free_block_bytes(read.get(structs.best_fit_block.header).value_or(0));
      // The tree is ordered by size first: the largest block is the rightmost.
      cursor.at = read.get(structs.best_fit_block.right).value_or(0);
      return cursor.best <= room;
    case AllocatorStrategy::a_fit:
    case AllocatorStrategy::good_fit: {
      const bool a_fit = known.strategy == AllocatorStrategy::a_fit;
      const auto header =
          read.get(a_fit ? structs.a_fit_block.header : structs.good_fit_block.header);
      cursor.best = std::max(cursor.best, free_block_bytes(header.value_or(0)));
      cursor.at =
          read.get(a_fit ? structs.a_fit_block.next : structs.good_fit_block.next).value_or(0);
      return cursor.best <= room;
    }
  }
  return false;
}

}  // namespace beam_exporter::beam
