#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"
#include "sampling/ebpf/record_reader.h"
#include "unit/sampling/staged_vm.h"

// Records of carriers that are about to be made, or to grow.
namespace beam_exporter::sampling {
namespace {

using testing::ElementsAreArray;
using tests::StagedRecord;
using tests::StagedVm;

class GrowthRecordTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    record_.set_process(vm_);
    record_.set_top(vm_.stop, vm_.stack);
    record_.set_c_stack(vm_, StagedVm::in_c_code(), vm_.stop, caller_);
    record_.record.allocator = 0x1000;
    record_.record.new_bytes = 5 << 10;
    record_.record.old_bytes = 4 << 10;
    record_.record.carrier_function = carrier_system_realloc;
  }

  StagedVm vm_{GetParam()};
  const os::Address caller_ = vm_.jit_from_process();
  StagedRecord record_;
  GrowthEvent growth_;
};
INSTANTIATE_TEST_SUITE_P(Releases, GrowthRecordTest, tests::each_jit_release, tests::release_name);

TEST_P(GrowthRecordTest, has_its_allocator_its_bytes_and_the_stack) {
  ASSERT_TRUE(head_of(record_.bytes())->growth);
  RecordReader reader(*vm_.vm, *vm_.native);
  ASSERT_TRUE(reader.read(record_.bytes(), &vm_.normal(), growth_));
  EXPECT_EQ(growth_.allocator, 0x1000u);
  EXPECT_EQ(growth_.bytes, 1u << 10);
  EXPECT_EQ(growth_.top.return_to, caller_);
  EXPECT_THAT(growth_.top_words, ElementsAreArray(vm_.stack));
}

TEST_P(GrowthRecordTest, what_asks_for_nothing_or_by_an_unknown_function_is_none) {
  record_.record.carrier_function = ~0u;
  EXPECT_FALSE(head_of(record_.bytes())->growth);
  record_.record.carrier_function = carrier_system_realloc;
  record_.record.new_bytes = 0;
  EXPECT_FALSE(head_of(record_.bytes())->growth);
}

}  // namespace
}  // namespace beam_exporter::sampling
