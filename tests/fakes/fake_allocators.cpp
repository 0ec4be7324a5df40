#include "fakes/fake_allocators.h"

namespace beam_exporter::tests {

namespace {

constexpr std::uint64_t single_block_flag = 2, in_pool_flag = 1, free_flag = 1;

}  // namespace

AllocatorsInMemory::AllocatorsInMemory(FakeVm& vm) : vm_(vm), structs_(vm.layout.allocators) {
  using beam::AllocatorStrategy;
  set.names = {"", "tree_alloc", "best_alloc", "list_alloc", "bucket_alloc"};
  set.kinds = 4;
  sentinel = vm.allocate(structs_.pool_data.size);
  pieces.push_back({sentinel, structs_.pool_data.size});
  make_instance(1, AllocatorStrategy::address_order_first_fit, structs_.first_fit.size);
  make_instance(2, AllocatorStrategy::best_fit, structs_.best_fit.size);
  make_instance(3, AllocatorStrategy::a_fit, structs_.a_fit.size);
  make_instance(4, AllocatorStrategy::good_fit, structs_.good_fit.size);
  make_tree();
  make_pool();
  for (unsigned number = 2; number <= 4; ++number) make_blocks(number);
}

os::Address AllocatorsInMemory::make_instance(unsigned number, beam::AllocatorStrategy strategy,
                                              std::uint32_t size) {
  const auto& at = structs_.allocator;
  auto& memory = vm_.memory;
  const os::Address place = vm_.allocate(size);
  const bool of_tree = strategy == beam::AllocatorStrategy::address_order_first_fit;
  const std::uint64_t header = structs_.first_fit_carrier.size, carriers = of_tree ? 3 : 1;
  memory.put(place, at.number, static_cast<std::int32_t>(number));
  memory.put(place, at.strategy, static_cast<std::int32_t>(strategy));
  memory.put(place, at.header_bytes, header);
  memory.put(place, at.sentinel, sentinel);
  memory.put(place, at.mbcs_carriers, carriers);
  memory.put(place, at.mbcs_carrier_bytes, carriers * carrier_bytes);
  memory.put(place, at.mbcs_blocks, carriers * 10);
  memory.put(place, at.mbcs_block_bytes, carriers * used_bytes);
  memory.put(place, at.allocations, 100);
  set.instances.push_back({number, 0, place, strategy, header, sentinel});
  pieces.push_back({place, size});
  return place;
}

os::Address AllocatorsInMemory::make_carrier(os::Address instance, std::uint32_t bytes,
                                             std::uint64_t flags) {
  const os::Address carrier = next_carrier_;
  next_carrier_ += carrier_bytes;
  vm_.memory.put_zeros(carrier, bytes);
  vm_.memory.put(carrier, structs_.carrier.header, carrier_bytes | flags);
  vm_.memory.put(carrier, structs_.carrier.owner, instance);
  if (flags == 0) vm_.memory.put(carrier, structs_.carrier.used_bytes, used_bytes);
  pieces.push_back({carrier, bytes});
  return carrier;
}

void AllocatorsInMemory::make_tree() {
  const auto& at = structs_.first_fit_carrier;
  const os::Address instance = set.instances[0].address;
  auto& memory = vm_.memory;
  for (auto& carrier : tree) {
    carrier = make_carrier(instance, at.size, 0);
    memory.put(carrier, at.largest, largest_free | free_flag);
    memory.put(carrier, at.subtree_largest, largest_free);
  }
  const std::uint64_t node = at.largest.offset;
  memory.put(tree[0], at.left, tree[1] + node);
  memory.put(tree[0], at.right, tree[2] + node);
  memory.put(tree[1], at.parent, tree[0] + node);
  memory.put(tree[2], at.parent, tree[0] + node);
  memory.put(instance, structs_.first_fit.root, tree[0] + node);
  memory.put(instance, structs_.allocator.multi_block_list, tree[0]);

  // The header of a single-block carrier is shorter.
  single_block = make_carrier(instance, structs_.carrier.pool.offset, single_block_flag);
  memory.put(instance, structs_.allocator.single_block_list, single_block);
  memory.put(instance, structs_.allocator.sbcs_carriers, 1);
  memory.put(instance, structs_.allocator.sbcs_carrier_bytes, carrier_bytes);
  memory.put(instance, structs_.allocator.sbcs_blocks, 1);
  memory.put(instance, structs_.allocator.sbcs_block_bytes, used_bytes);
}

void AllocatorsInMemory::make_pool() {
  const auto& at = structs_.carrier;
  const os::Address instance = set.instances[0].address;
  auto& memory = vm_.memory;
  pooled = make_carrier(instance | in_pool_flag, structs_.carrier.size, 0);
  const os::Address link = pooled + at.pool.offset;
  memory.put(pooled, at.pool_next, sentinel);
  memory.put(pooled, at.pool_previous, sentinel);
  memory.put(pooled, at.creator, instance);
  memory.put(pooled, at.pool_largest, largest_free);
  memory.put(sentinel, structs_.pool_data.next, link);
  memory.put(sentinel, structs_.pool_data.previous, link);
  memory.put(instance, structs_.allocator.pool_carriers, 1);
  memory.put(instance, structs_.allocator.pool_carrier_bytes, carrier_bytes);
  memory.put(instance, structs_.allocator.pool_blocks, 10);
  memory.put(instance, structs_.allocator.pool_block_bytes, used_bytes);
}

void AllocatorsInMemory::make_blocks(unsigned number) {
  const auto& instance = set.instances[number - 1];
  auto& memory = vm_.memory;
  const os::Address carrier = make_carrier(instance.address, structs_.carrier.size, 0);
  lists[number - 2] = carrier;
  memory.put(instance.address, structs_.allocator.multi_block_list, carrier);
  const os::Address first = carrier + (1 << 16), second = first + (1 << 17);
  free_blocks[number - 2][0] = first;
  free_blocks[number - 2][1] = second;
  const std::uint32_t bytes = structs_.best_fit_block.size + structs_.good_fit_block.size;
  for (const os::Address block : {first, second}) {
    memory.put_zeros(block, bytes);
    pieces.push_back({block, bytes});
  }
  memory.put(first, std::uint64_t{smaller_free | free_flag});
  memory.put(second, std::uint64_t{largest_free | free_flag});
  switch (instance.strategy) {
    case beam::AllocatorStrategy::best_fit:
      memory.put(instance.address, structs_.best_fit.root, first);
      memory.put(first, structs_.best_fit_block.right, second);
      memory.put(second, structs_.best_fit_block.parent, first);
      break;
    case beam::AllocatorStrategy::a_fit:
      memory.put(instance.address, structs_.a_fit.free_list, first);
      memory.put(first, structs_.a_fit_block.next, second);
      break;
    default:
      // Both are in one bucket, the last one.
      memory.put(structs_.good_fit.buckets.at(instance.address) + 255 * 8, first);
      memory.put(first, structs_.good_fit_block.next, second);
      break;
  }
}

}  // namespace beam_exporter::tests
