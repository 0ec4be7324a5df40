#include "beam/allocators/free_blocks.h"

#include <algorithm>

#include "beam/allocators/allocators.h"
#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// Few instances have more (a strategy set by hand, on a fragmented VM); we do not spend the reads
// on them.
constexpr std::size_t most_blocks = 65536;
// NO_OF_BKTS, erl_goodfit_alloc.h (OTP 25 and 27).
constexpr std::size_t good_fit_buckets = 256;

struct FreeStep {
  os::Address block;
  os::Address parent;  // in the tree of best fit: the parent node
  bool in_tree;
};

struct Kind {
  std::uint32_t bytes = 0;
  Field<std::uint64_t> header;
  Field<os::Address> parent, left, right, next;
};

Kind kind_of(const AllocatorLayouts& structs, AllocatorStrategy strategy, bool lists_of_equals) {
  const auto& best = structs.best_fit_block;
  switch (strategy) {
    case AllocatorStrategy::best_fit:
      // Where the strategy has no lists, a block may be too small to hold `next`.
      return {lists_of_equals ? best.size : best.next.offset,
              best.header,
              best.parent,
              best.left,
              best.right,
              lists_of_equals ? Field<os::Address>(best.next) : Field<os::Address>{}};
    case AllocatorStrategy::a_fit:
      return {structs.a_fit_block.size, structs.a_fit_block.header, {}, {}, {},
              structs.a_fit_block.next};
    default:
      return {structs.good_fit_block.size, structs.good_fit_block.header, {}, {}, {},
              structs.good_fit_block.next};
  }
}

}  // namespace

FreeBlocks read_free_blocks(const Layout& layout, const os::Memory& memory,
                            const AllocatorInstance& instance) {
  const auto& structs = layout.allocators;
  FreeBlocks found;
  std::vector<FreeStep> steps;
  bool lists_of_equals = false;
  const auto push = [&](os::Address block, os::Address parent, bool in_tree) {
    if (block != 0) steps.push_back({block, parent, in_tree});
  };
  if (instance.strategy == AllocatorStrategy::best_fit) {
    lists_of_equals =
        read_field(memory, instance.address, structs.best_fit.address_order).value_or(0) == 0;
    push(read_field(memory, instance.address, structs.best_fit.root).value_or(0), 0, true);
  } else if (instance.strategy == AllocatorStrategy::a_fit) {
    push(read_field(memory, instance.address, structs.a_fit.free_list).value_or(0), 0, false);
  } else {
    std::vector<os::Address> buckets(good_fit_buckets);
    if (!memory.read(structs.good_fit.buckets.at(instance.address),
                     std::as_writable_bytes(std::span(buckets))))
      found.torn = true;
    for (const os::Address first : buckets) push(first, 0, false);
  }

  const Kind kind = kind_of(structs, instance.strategy, lists_of_equals);
  std::vector<std::byte> buffer;
  std::vector<os::ReadRequest> requests;
  while (!steps.empty() && !found.torn) {
    if (found.blocks.size() + steps.size() > most_blocks) {
      found.whole = false;
      found.blocks.clear();
      return found;
    }
    buffer.resize(steps.size() * kind.bytes);
    requests.clear();
    for (std::size_t k = 0; k < steps.size(); ++k)
      requests.push_back({steps[k].block, std::span(buffer).subspan(k * kind.bytes, kind.bytes)});
    memory.read_batch(requests);
    found.reads += requests.size();
    std::vector<FreeStep> now;
    now.swap(steps);
    for (std::size_t k = 0; k < now.size(); ++k) {
      const StructBytes block(requests[k].into);
      const std::uint64_t header = block.get(kind.header).value_or(0);
      // THIS_FREE_BLK_HDR_FLG, erl_alloc_util.h (OTP 25 and 27).
      if (!requests[k].ok || (header & 1) == 0 ||
          (now[k].in_tree && block.get(kind.parent) != now[k].parent)) {
        found.torn = true;
        break;
      }
      found.blocks.push_back({now[k].block, free_block_bytes(header)});
      push(block.get(kind.next).value_or(0), 0, false);
      if (!now[k].in_tree) continue;
      push(block.get(kind.left).value_or(0), now[k].block, true);
      push(block.get(kind.right).value_or(0), now[k].block, true);
    }
  }
  return found;
}

}  // namespace beam_exporter::beam
