#include "beam/processes/process_fields.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class ProcessFieldsTest : public tests::EachRelease {
 protected:
  std::optional<ProcessFields> read() { return read_process(vm.layout, vm.memory, process); }
  template <class T>
  void set(Field<T> field, std::uint64_t value) {
    vm.memory.put(process, field, static_cast<T>(value));
  }
  const os::Address process = vm.spawn("demo", "start", 2);
};
INSTANTIATE_TEST_SUITE_P(Releases, ProcessFieldsTest, tests::each_release, tests::release_name);

TEST_P(ProcessFieldsTest, every_field_comes_from_its_own_place) {
  const auto& at = vm.layout.process;
  set(at.heap, 0x10000);
  set(at.htop, 0x10100);
  set(at.stop, 0x10f00);
  set(at.hend, 0x11000);
  if (at.frame_pointer.present()) set(at.frame_pointer, 0x10f10);
  set(at.i, 0x7e0000000123);
  set(at.current, 0x7e0000000456);
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->address, process);
  EXPECT_EQ(got->id & 0xf, 3U);
  EXPECT_EQ(got->heap, 0x10000U);
  EXPECT_EQ(got->htop, 0x10100U);
  EXPECT_EQ(got->stop, 0x10f00U);
  EXPECT_EQ(got->hend, 0x11000U);
  EXPECT_EQ(got->frame_pointer, at.frame_pointer.present() ? 0x10f10U : 0U);
  EXPECT_EQ(got->i, 0x7e0000000123U);
  EXPECT_EQ(got->current, 0x7e0000000456U);
  EXPECT_EQ(got->initial, (Mfa{vm.atom("demo"), vm.atom("start"), 2}));
}

TEST_P(ProcessFieldsTest, a_stack_pointer_lies_in_the_heap_block) {
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->holds(got->heap)) << "htop may be stale: a full heap";
  EXPECT_TRUE(got->holds(got->hend)) << "an empty stack";
  EXPECT_FALSE(got->holds(got->hend + 8));
  EXPECT_FALSE(got->holds(got->heap - 8));
  EXPECT_FALSE(got->holds(got->hend - 4)) << "not aligned";
}

TEST_P(ProcessFieldsTest, what_is_no_live_process_is_refused) {
  const auto& at = vm.layout.process;
  const auto good = *read();
  set(at.id, 0x7);  // a port
  EXPECT_FALSE(read());
  set(at.id, good.id);
  set(at.heap, 0);
  EXPECT_FALSE(read());
  set(at.heap, good.htop + 8);
  EXPECT_FALSE(read());
  set(at.heap, good.heap);
  set(at.hend, good.htop - 8);
  EXPECT_FALSE(read());
  set(at.hend, good.hend);
  ASSERT_TRUE(read());
  vm.memory.forget(process + 8, 1);
  EXPECT_FALSE(read());
  EXPECT_FALSE(read_process(vm.layout, vm.memory, 0));
}

TEST_P(ProcessFieldsTest, a_build_without_frame_pointers_has_none) {
  Layout layout = vm.layout;
  set(layout.process.frame_pointer, 0x10f10);
  layout.process.frame_pointer.offset = Row::absent;
  const auto got = read_process(layout, vm.memory, process);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->frame_pointer, 0U);
}

}  // namespace
}  // namespace beam_exporter::beam
