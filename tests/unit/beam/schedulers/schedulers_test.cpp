#include "beam/schedulers/schedulers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/small_elf.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using ::testing::HasSubstr;
using tests::FakeVm;

class SchedulersTest : public tests::EachRelease {
 protected:
  os::Result<std::vector<Scheduler>> find(const elf::Image& image) {
    const auto data = StaticData::read(image, FakeVm::bias, vm.memory);
    if (!data) return data.error();
    return find_schedulers(vm.layout, *data, vm.memory);
  }
  os::Result<std::vector<Scheduler>> find() { return find(vm.image()); }
  void expect_malformed() {
    const auto found = find();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, os::ErrorKind::malformed);
    EXPECT_THAT(found.error().text, HasSubstr("erts_aligned"));
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, SchedulersTest, tests::each_release, tests::release_name);

TEST_P(SchedulersTest, all_three_kinds_are_found_and_numbered) {
  const auto found = find();
  ASSERT_TRUE(found) << found.error().text;
  ASSERT_EQ(found->size(), 4U);
  const ThreadRole roles[] = {{ThreadKind::normal, 1},
                              {ThreadKind::normal, 2},
                              {ThreadKind::dirty_cpu, 1},
                              {ThreadKind::dirty_io, 1}};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ((*found)[k].role, roles[k]);
    EXPECT_EQ((*found)[k].data, vm.schedulers[k]);
    const auto ssi =
        *vm.memory.value<os::Address>(vm.layout.scheduler_data.ssi.at(vm.schedulers[k]));
    EXPECT_EQ((*found)[k].sleep_flags, vm.layout.sleep_info.flags.at(ssi));
  }
}

class JitSchedulersTest : public SchedulersTest {};
INSTANTIATE_TEST_SUITE_P(Releases, JitSchedulersTest, tests::each_jit_release, tests::release_name);

TEST_P(JitSchedulersTest, only_normal_ones_have_a_runtime_stack) {
  const auto found = find();
  ASSERT_TRUE(found);
  const auto registers =
      *vm.memory.value<os::Address>(vm.layout.scheduler_data.registers.at(vm.schedulers[1]));
  EXPECT_EQ((*found)[1].runtime_stack, vm.layout.scheduler_registers.runtime_stack.at(registers));
  EXPECT_EQ((*found)[2].runtime_stack, 0U);
  EXPECT_EQ((*found)[3].runtime_stack, 0U);
}

TEST_P(SchedulersTest, an_element_with_another_number_or_type_is_refused) {
  const auto& at = vm.layout.scheduler_data;
  vm.memory.put(vm.schedulers[1], at.no, 3);
  expect_malformed();
  vm.memory.put(vm.schedulers[1], at.no, 2);
  ASSERT_TRUE(find());
  vm.memory.put(vm.schedulers[2], at.type, 0);
  expect_malformed();
  vm.memory.put(vm.schedulers[2], at.type, 1);
  vm.memory.put(vm.schedulers[3], at.dirty_no, 0);
  expect_malformed();
}

TEST_P(SchedulersTest, impossible_arrays_are_refused) {
  vm.memory.put(FakeVm::scheduler_arrays + 8, std::uint64_t{1} << 40);
  expect_malformed();
  vm.memory.put(FakeVm::scheduler_arrays + 8, std::uint64_t{2});
  vm.memory.put(FakeVm::scheduler_arrays, os::Address{0});
  expect_malformed();
  vm.memory.put(FakeVm::scheduler_arrays, os::Address{0xdead0000});
  expect_malformed();
}

TEST_P(SchedulersTest, a_vm_may_have_no_dirty_schedulers) {
  vm.memory.put(FakeVm::scheduler_arrays + 24, std::uint64_t{0});
  vm.memory.put(FakeVm::scheduler_arrays + 16, os::Address{0});
  const auto found = find();
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->size(), 3U);
}

TEST_P(SchedulersTest, an_executable_without_the_symbols_is_told) {
  tests::SmallElf elf;
  elf.segments = {{{FakeVm::data_begin - FakeVm::bias, FakeVm::data_begin - FakeVm::bias + 0x1000},
                   true,
                   false,
                   {}}};
  const auto image = elf::Image::open(elf.file(), "stripped");
  ASSERT_TRUE(image) << image.error().text;
  const auto found = find(*image);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, os::ErrorKind::not_found);
}

}  // namespace
}  // namespace beam_exporter::beam
