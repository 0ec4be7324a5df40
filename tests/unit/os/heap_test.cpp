#include "os/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

#include "harness/child_process.h"

namespace beam_exporter::os {
namespace {

// Of the whole program and for good, hence in a child. Sanitizers bring an allocator of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
bool large_block_is_mapped_after_a_larger_one() {
  // Volatile: a compiler may leave out what is freed unused.
  void* volatile block = std::malloc(4 << 20);
  std::free(block);
  block = std::malloc(2 << 20);
  const bool mapped = mallinfo2().hblks > 0;
  std::free(block);
  return mapped;
}

TEST(Heap, large_blocks_go_back_to_the_system_whatever_was_freed_before) {
  auto left_alone = tests::ChildProcess::forked(
      [] { return large_block_is_mapped_after_a_larger_one() ? 1 : 0; });
  EXPECT_EQ(left_alone.join(), 0) << "glibc does it by itself now: keep_heap_small is not needed";
  auto kept_small = tests::ChildProcess::forked([] {
    keep_heap_small();
    return large_block_is_mapped_after_a_larger_one() ? 0 : 1;
  });
  EXPECT_EQ(kept_small.join(), 0);
}
#endif

}  // namespace
}  // namespace beam_exporter::os
