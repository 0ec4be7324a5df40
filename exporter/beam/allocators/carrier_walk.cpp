#include "beam/allocators/carrier_walk.h"

#include <algorithm>
#include <unordered_map>

#include "beam/allocators/free_blocks.h"
#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

constexpr int most_walks = 5;
// 16 TiB in carriers of the smallest usual size (512 KiB): a bound for what torn pointers make us
// read.
constexpr std::size_t most_carriers = 32u << 20;
// Carriers that may be made during the walk.
constexpr std::uint64_t slack = 64;
// OTP 25 and 27: multi-block carriers begin at a multiple of 2^14 (ERTS_SACRR_UNIT_SHIFT in
// erl_alloc_util.h, ERTS_MMAP_SUPERALIGNED_BITS in sys/common/erl_mmap.h). The low bits of three
// words are flags (erl_alloc_util.c): chdr (bit 1: single block), Carrier_t.allctr (bit 0: in the
// pool) and the links of the pool (bit 1: the carrier has left it).
constexpr os::Address carrier_alignment = 1u << 14;
constexpr std::uint64_t flag_bits = 7, single_block_flag = 2, in_pool_flag = 1;
constexpr std::uint64_t link_bits = 3, leaving_flag = 2;

enum class Way { tree, list, single, pool };

struct Step {
  Way way;
  std::size_t instance;  // in a pool: any instance that uses it
  os::Address carrier;
  os::Address from;  // where the pointer to `carrier` was: in a node, or a pool link
};

class CarrierWalker {
 public:
  CarrierWalker(const Layout& layout, const os::Memory& memory, const AllocatorSet& set)
      : layout_(layout), structs_(layout.allocators), memory_(memory), set_(set) {
    for (std::size_t k = 0; k < set.instances.size(); ++k)
      by_address_.emplace(set.instances[k].address, k);
  }

  bool walk(const std::vector<AllocatorStatistics>& before) {
    found.carriers.clear();
    begin(before);
    while (!steps_.empty()) {
      read();
      std::vector<Step> now;
      now.swap(steps_);
      for (std::size_t k = 0; k < now.size(); ++k)
        if (!requests_[k].ok || !take(now[k], requests_[k].into)) return false;
      if (found.carriers.size() > most_carriers) return false;
    }
    return each_once() && find_largest(before);
  }

  CarrierWalk found;

 private:
  void begin(const std::vector<AllocatorStatistics>& before) {
    steps_.clear();
    pooled_allowed_ = slack;
    allowed_.assign(before.size(), 0);
    std::vector<os::Address> pools;
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto& instance = set_.instances[k];
      allowed_[k] = before[k].multi_block.carriers + before[k].single_block.carriers + slack;
      pooled_allowed_ += before[k].pool.carrier_bytes / carrier_alignment;
      if (instance.strategy != AllocatorStrategy::address_order_first_fit)
        push(Way::list, k, before[k].multi_block_list, 0);
      else if (before[k].carrier_tree != 0)
        push(Way::tree, k, before[k].carrier_tree - node_offset(), 0);
      push(Way::single, k, before[k].single_block_list, 0);
      if (instance.sentinel == 0 || std::ranges::count(pools, instance.sentinel) > 0) continue;
      pools.push_back(instance.sentinel);
      const auto first =
          read_field(memory_, instance.sentinel, structs_.pool_data.next).value_or(0);
      push_pool(k, first & ~link_bits, instance.sentinel);
    }
  }

  std::uint32_t node_offset() const { return structs_.first_fit_carrier.largest.offset; }

  void push(Way way, std::size_t instance, os::Address carrier, os::Address from) {
    if (carrier != 0) steps_.push_back({way, instance, carrier, from});
  }
  void push_pool(std::size_t instance, os::Address data, os::Address from) {
    if (data != 0 && data != set_.instances[instance].sentinel)
      push(Way::pool, instance, data - structs_.carrier.pool.offset, from);
  }

  // The header of a single-block carrier has no data of the pool: it ends where that begins in
  // other carriers.
  std::uint32_t head_bytes(const Step& step) const {
    if (step.way == Way::single) return structs_.carrier.pool.offset;
    return step.way == Way::tree ? structs_.first_fit_carrier.size : structs_.carrier.size;
  }

  void read() {
    std::size_t total = 0;
    for (const auto& step : steps_) total += head_bytes(step);
    buffer_.resize(total);
    requests_.clear();
    std::size_t at = 0;
    for (const auto& step : steps_) {
      requests_.push_back({step.carrier, std::span(buffer_).subspan(at, head_bytes(step))});
      at += head_bytes(step);
    }
    memory_.read_batch(requests_);
    found.reads += requests_.size();
  }

  bool take(const Step& step, std::span<const std::byte> bytes) {
    const StructBytes head(bytes);
    const auto& at = structs_.carrier;
    const std::uint64_t header = head.get(at.header).value_or(0);
    const std::uint64_t owner = head.get(at.owner).value_or(0);
    Carrier carrier{.address = step.carrier,
                    .allocator = set_.instances[step.instance].allocator,
                    .instance = step.instance,
                    .pooled = step.way == Way::pool,
                    .single_block = step.way == Way::single,
                    .size = header & ~flag_bits,
                    .head = set_.instances[step.instance].header_bytes};
    if (step.way == Way::pool) {
      if (pooled_allowed_-- == 0 || !follow_pool(step, head)) return false;
      // instrument:carriers/0 puts a dummy carrier of size 0 into the pool, to mark its progress
      // (erl_alloc_util.c, OTP 25 and 27).
      if (carrier.size == 0) return true;
      const auto creator = by_address_.find(head.get(at.creator).value_or(0));
      if (creator == by_address_.end() || (owner & in_pool_flag) == 0) return false;
      carrier.allocator = set_.instances[creator->second].allocator;
      carrier.head = set_.instances[creator->second].header_bytes;
      carrier.largest = head.get(at.pool_largest).value_or(0);
    } else {
      if ((owner & ~flag_bits) != set_.instances[step.instance].address ||
          allowed_[step.instance]-- == 0)
        return false;
    }
    const bool single = (header & single_block_flag) != 0;
    if (single != carrier.single_block || carrier.size == 0) return false;
    if (single) {
      push(Way::single, step.instance, head.get(at.next).value_or(0), step.carrier);
      found.carriers.push_back(carrier);
      return true;
    }
    carrier.used = head.get(at.used_bytes).value_or(0);
    if (step.carrier % carrier_alignment != 0 || carrier.head > carrier.size ||
        carrier.used > carrier.size - carrier.head)
      return false;
    if (step.way == Way::list)
      push(Way::list, step.instance, head.get(at.next).value_or(0), step.carrier);
    if (step.way == Way::tree && !follow_tree(step, head, carrier)) return false;
    if (carrier.largest && *carrier.largest > carrier.free()) return false;
    found.carriers.push_back(carrier);
    return true;
  }

  bool follow_tree(const Step& step, StructBytes head, Carrier& carrier) {
    const auto& at = structs_.first_fit_carrier;
    carrier.largest = free_block_bytes(head.get(at.largest).value_or(0));
    if (head.get(at.parent) != step.from || head.get(at.subtree_largest) < carrier.largest)
      return false;
    const os::Address node = step.carrier + node_offset();
    for (const auto side : {at.left, at.right})
      if (const os::Address child = head.get(side).value_or(0); child != 0)
        push(Way::tree, step.instance, child - node_offset(), node);
    return true;
  }

  bool follow_pool(const Step& step, StructBytes head) {
    const auto& at = structs_.carrier;
    const auto next = head.get(at.pool_next).value_or(0);
    const auto previous = head.get(at.pool_previous).value_or(0);
    if ((previous & ~link_bits) != step.from || (next & leaving_flag) != 0) return false;
    push_pool(step.instance, next & ~link_bits, step.carrier + at.pool.offset);
    return true;
  }

  bool each_once() {
    std::ranges::sort(found.carriers, {}, &Carrier::address);
    return std::ranges::adjacent_find(found.carriers, {}, &Carrier::address) ==
           found.carriers.end();
  }

  // Only address order first fit keeps the largest block of each carrier.
  bool find_largest(const std::vector<AllocatorStatistics>& before) {
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto& instance = set_.instances[k];
      if (instance.strategy == AllocatorStrategy::address_order_first_fit ||
          before[k].multi_block.carriers == 0)
        continue;
      const auto blocks = read_free_blocks(layout_, memory_, instance);
      found.reads += blocks.reads;
      if (blocks.torn) return false;
      if (!place(k, blocks)) return false;
    }
    return true;
  }

  bool place(std::size_t index, const FreeBlocks& blocks) {
    const auto holder = [&](os::Address block) {
      auto after = std::ranges::upper_bound(found.carriers, block, {}, &Carrier::address);
      return after == found.carriers.begin() ? found.carriers.end() : std::prev(after);
    };
    if (!blocks.whole) return true;
    for (auto& carrier : found.carriers)
      if (carrier.instance == index && !carrier.single_block && !carrier.pooled)
        carrier.largest = 0;
    for (const auto& block : blocks.blocks) {
      const auto carrier = holder(block.address);
      if (carrier == found.carriers.end() || carrier->instance != index ||
          block.address - carrier->address > carrier->size || block.bytes > carrier->free())
        return false;
      carrier->largest = std::max(carrier->largest.value_or(0), block.bytes);
    }
    return true;
  }

  const Layout& layout_;
  const AllocatorLayouts& structs_;
  const os::Memory& memory_;
  const AllocatorSet& set_;
  std::unordered_map<os::Address, std::size_t> by_address_;
  std::vector<Step> steps_;
  std::vector<os::ReadRequest> requests_;
  std::vector<std::byte> buffer_;
  std::vector<std::uint64_t> allowed_;
  std::uint64_t pooled_allowed_ = 0;
};

// Blocks come and go during a walk, but not half of them. So what the heads of the carriers tell is
// about what the allocator counts; a wrong place for it is nothing like it.
bool near(std::uint64_t used, std::uint64_t counted) {
  constexpr std::uint64_t room = 1u << 18;
  return used / 2 <= counted + room && counted / 2 <= used + room;
}

// Carriers move between instances and pools all the time, but an allocator's total changes rarely.
// So the totals before and after a walk are bounds for what the walk found.
bool agrees(const AllocatorSet& set, const std::vector<AllocatorStatistics>& before,
            const std::vector<AllocatorStatistics>& after, const std::vector<Carrier>& carriers) {
  const std::size_t allocators = set.names.size();
  std::vector<std::uint64_t> low(allocators), high(allocators), walked(allocators);
  std::vector<std::uint64_t> used(allocators), counted(allocators);
  for (std::size_t k = 0; k < set.instances.size(); ++k) {
    const auto total = [](const AllocatorStatistics& s) {
      return s.multi_block.carrier_bytes + s.single_block.carrier_bytes + s.pool.carrier_bytes;
    };
    low[set.instances[k].allocator] += total(before[k]);
    high[set.instances[k].allocator] += total(after[k]);
    counted[set.instances[k].allocator] +=
        after[k].multi_block.block_bytes + after[k].pool.block_bytes;
  }
  for (const auto& carrier : carriers) {
    walked[carrier.allocator] += carrier.size;
    used[carrier.allocator] += carrier.used;
  }
  for (std::size_t a = 0; a < allocators; ++a)
    if (walked[a] < std::min(low[a], high[a]) || walked[a] > std::max(low[a], high[a]) ||
        !near(used[a], counted[a]))
      return false;
  return true;
}

}  // namespace

CarrierWalk walk_carriers(const Layout& layout, const os::Memory& memory, const AllocatorSet& set,
                          AllocatorReader& reader) {
  CarrierWalker walker(layout, memory, set);
  for (int tries = 0; tries < most_walks; ++tries) {
    const auto before = reader.read();
    if (before && walker.walk(*before)) {
      const auto after = reader.read();
      if (after && agrees(set, *before, *after, walker.found.carriers)) {
        walker.found.whole = true;
        return std::move(walker.found);
      }
    }
    ++walker.found.retries;
  }
  walker.found.carriers.clear();
  return std::move(walker.found);
}

}  // namespace beam_exporter::beam
