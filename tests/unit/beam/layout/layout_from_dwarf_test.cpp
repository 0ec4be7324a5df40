#include "beam/layout/layout_from_dwarf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "unit/beam/erts_like_types.h"

namespace beam_exporter::beam {
namespace {

const Release release{"99", "99.1.2", "jit", "x86_64"};

os::Result<Layout> layout_of(const std::string& path) {
  const auto image = elf::Image::open(path);
  if (!image) return image.error();
  return layout_from_dwarf(*image, release);
}

template <class T>
Field<T> field(std::size_t offset, std::uint32_t width) {
  return {static_cast<std::uint32_t>(offset), width};
}

TEST(LayoutFromDwarf, finds_every_struct_and_member) {
  const auto layout = layout_of("/proc/self/exe");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_EQ(layout->otp_release, "99");
  EXPECT_EQ(layout->erts_version, "99.1.2");
  EXPECT_EQ(layout->flavor, "jit");
  EXPECT_EQ(layout->arch, "x86_64");
  EXPECT_EQ(layout->origin, "dwarf");

  EXPECT_EQ(layout->process.size, sizeof(Process));
  EXPECT_EQ(layout->process.reg, field<os::Address>(offsetof(Process, common.u.alive.reg), 8));
  EXPECT_EQ(layout->process.hend, field<os::Address>(offsetof(Process, hend), 8));
  EXPECT_EQ(layout->process.initial_arity,
            field<std::uint64_t>(offsetof(Process, u.initial.arity), 8));
  EXPECT_EQ(layout->process.state, field<std::uint32_t>(offsetof(Process, state.counter), 4));
  EXPECT_EQ(layout->scheduler_data.type,
            field<std::uint32_t>(offsetof(ErtsSchedulerData, type), 4));
  EXPECT_EQ(layout->aligned_scheduler_data.size, sizeof(ErtsAlignedSchedulerData));
  EXPECT_EQ(layout->process_table.pix_mask,
            field<std::uint64_t>(offsetof(ErtsPTab, r.o.pix_mask), 4));
  EXPECT_EQ(layout->atom.length, field<std::uint16_t>(offsetof(Atom, len), 2));
  EXPECT_EQ(layout->code_header.functions,
            field<os::Address>(offsetof(BeamCodeHeader, functions), 8));
  EXPECT_EQ(layout->line_table.locations,
            field<os::Address>(offsetof(BeamCodeLineTab_, loc_tab), 8));
  EXPECT_EQ(layout->ranges.mid, field<os::Address>(offsetof(ranges, mid.counter), 8));
  EXPECT_EQ(layout->range.size, sizeof(Range));

  EXPECT_EQ(layout->process.old_hend, field<os::Address>(offsetof(Process, old_hend), 8));
  EXPECT_EQ(layout->run_queue.reductions,
            field<std::uint64_t>(offsetof(ErtsRunQueue, procs.reductions), 8));
  EXPECT_EQ(layout->mutex.size, sizeof(erts_mtx_t));
  const auto& allocators = layout->allocators;
  EXPECT_EQ(
      allocators.allocator.mbcs_block_bytes,
      field<std::uint64_t>(offsetof(Allctr_t, mbcs.blocks) + offsetof(StatValues_t, size), 8));
  EXPECT_EQ(allocators.allocator.pool_blocks,
            field<std::uint64_t>(offsetof(Allctr_t, cpool.stat.no_blocks), 8));
  EXPECT_EQ(allocators.block_count.size, sizeof(BlockStats_t));
  EXPECT_EQ(allocators.carrier.creator,
            field<os::Address>(offsetof(Carrier_t, cpool.orig_allctr), 8));
  EXPECT_EQ(allocators.first_fit_carrier.subtree_largest,
            field<std::uint64_t>(offsetof(AOFF_Carrier_t, rbt_node.max_sz), 4));
}

TEST(LayoutFromDwarf, leaves_out_what_is_optional) {
  const auto layout = layout_of("/proc/self/exe");
  ASSERT_TRUE(layout) << layout.error().text;
  EXPECT_FALSE(layout->process.frame_pointer.present());
  EXPECT_TRUE(layout->scheduler_data.registers.present());
}

TEST(LayoutFromDwarf, names_the_member_that_is_missing) {
  const auto layout = layout_of(ERTS_UNLIKE);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().kind, os::ErrorKind::malformed);
  EXPECT_EQ(layout.error().text, std::string(ERTS_UNLIKE) + ": Process: no member common.id");
}

TEST(LayoutFromDwarf, needs_dwarf) {
  const auto layout = layout_of("/bin/true");
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().kind, os::ErrorKind::unsupported);
}

}  // namespace
}  // namespace beam_exporter::beam
