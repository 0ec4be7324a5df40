#include "beam/allocators/carrier_functions.h"

#include <gtest/gtest.h>

#include "fakes/fake_allocators.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using Kind = CarrierFunction::Kind;

class CarrierFunctionsTest : public tests::EachRelease {
 protected:
  tests::AllocatorsInMemory allocators{vm};
  const AllocatorLayout& at = vm.layout.allocators.allocator;
};
INSTANTIATE_TEST_SUITE_P(Releases, CarrierFunctionsTest, tests::each_release, tests::release_name);

TEST_P(CarrierFunctionsTest, each_function_of_all_instances_once) {
  for (const auto& instance : allocators.set.instances) {
    vm.memory.put(instance.address, at.segment_alloc, 0x1000);
    vm.memory.put(instance.address, at.system_realloc, 0x2000);
  }
  vm.memory.put(allocators.set.instances[2].address, at.segment_alloc, 0x3000);
  EXPECT_EQ(carrier_functions(vm.layout, vm.memory, allocators.set),
            (std::vector<CarrierFunction>{{0x1000, Kind::segment_alloc},
                                          {0x2000, Kind::system_realloc},
                                          {0x3000, Kind::segment_alloc}}));
}

TEST_P(CarrierFunctionsTest, an_instance_that_cannot_be_read_tells_nothing) {
  vm.memory.forget(allocators.set.instances[1].address + 100, 1);
  EXPECT_TRUE(carrier_functions(vm.layout, vm.memory, allocators.set).empty());
}

TEST_P(CarrierFunctionsTest, too_many_functions_are_none) {
  os::Address next = 0x1000;
  for (const auto& instance : allocators.set.instances)
    for (const auto field :
         {at.segment_alloc, at.segment_realloc, at.system_alloc, at.system_realloc})
      vm.memory.put(instance.address, field, next += 16);
  EXPECT_TRUE(carrier_functions(vm.layout, vm.memory, allocators.set).empty());
}

TEST(CarrierGrowth, is_rounded_as_the_vm_does) {
  constexpr std::uint64_t KiB = 1024;
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, 100 * KiB + 1, 0, 0), 104 * KiB);
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, 1, 0, 1), 16 * KiB);
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, 16 * KiB + 1, 0, 1), 32 * KiB);
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, 100 * KiB, 0, 1), 128 * KiB);
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, 513 * KiB, 0, 1), 1024 * KiB);
  EXPECT_EQ(carrier_growth(Kind::system_alloc, 100 * KiB + 1, 0, 1), 100 * KiB + 1);
  EXPECT_EQ(carrier_growth(Kind::segment_realloc, 5 * KiB, 4 * KiB, 0), 4 * KiB);
  EXPECT_EQ(carrier_growth(Kind::system_realloc, 5 * KiB, 4 * KiB, 0), KiB);
}

TEST(CarrierGrowth, absurd_sizes_are_none) {
  EXPECT_EQ(carrier_growth(Kind::segment_alloc, ~std::uint64_t{0}, 0, 1), 0U);
  EXPECT_EQ(carrier_growth(Kind::system_realloc, 1, 2, 0), 0U);
}

}  // namespace
}  // namespace beam_exporter::beam
