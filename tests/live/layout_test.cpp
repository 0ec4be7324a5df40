// The proofs between a layout and trust in it, on a real VM: with its own layout, and with others'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beam/layout_check.h"
#include "live/live_vm.h"

namespace beam_exporter::tests {
namespace {

class LiveLayout : public LiveVm {
 protected:
  beam::Layout of_the_other_release() const {
    const auto library = beam::LayoutLibrary::load();
    const std::string other = GetParam() == "25" ? "27" : "25";
    auto layout = library ? library->find({other, "", "jit", "x86_64"})
                          : os::Result<beam::Layout>(library.error());
    EXPECT_TRUE(layout);
    return *layout;
  }
  // The names of the checks that fail, or "attach" with its reason when it gets no further.
  std::vector<std::string> failures(const beam::Layout& layout) {
    auto known = description();
    if (!known) return {"description"};
    known->layout = layout;
    const auto attached = attach(std::move(*known));
    if (!attached) {
      EXPECT_EQ(attached.error().kind, os::ErrorKind::malformed) << attached.error().text;
      std::cout << "refused: " << attached.error().text << "\n";
      return {"attach"};
    }
    std::vector<std::string> names;
    for (const auto& result : beam::check_layout(**attached))
      if (!result.ok) names.push_back(result.name);
    return names;
  }
};
INSTANTIATE_TEST_SUITE_P(Releases, LiveLayout, live_releases, live_release_name);

TEST_P(LiveLayout, its_own_passes_every_check) {
  const auto begin = now();
  auto known = description();
  ASSERT_TRUE(known) << known.error().text;
  auto attached = attach(std::move(*known));
  const auto attach_time = now() - begin;
  ASSERT_TRUE(attached) << attached.error().text;
  for (const auto& result : beam::check_layout(**attached)) {
    EXPECT_TRUE(result.ok) << result.name << ": " << result.detail;
    std::cout << result.name << ": " << result.detail << "\n";
  }
  const auto check_time = now() - begin - attach_time;
  std::cout << "attach: " << attach_time.count() / 1000
            << " us, checks: " << check_time.count() / 1000 << " us\n";
}

TEST_P(LiveLayout, the_other_releases_is_refused) {
  EXPECT_THAT(failures(of_the_other_release()), ::testing::Not(::testing::IsEmpty()));
}

// One struct at a time, so that each proof has to stand alone.
TEST_P(LiveLayout, one_struct_of_the_other_release_is_noticed_by_the_check_for_it) {
  const beam::Layout own = vm().layout(), other = of_the_other_release();
  const auto with = [&](auto member) {
    beam::Layout mixed = own;
    mixed.*member = other.*member;
    return failures(mixed);
  };
  using ::testing::Contains;
  EXPECT_THAT(with(&beam::Layout::process), Contains("process_fields"));
  EXPECT_THAT(with(&beam::Layout::process_table), Contains("processes"));
  EXPECT_THAT(with(&beam::Layout::aligned_scheduler_data), Contains("attach"));
  EXPECT_THAT(with(&beam::Layout::code_header), Contains("attach"));
}

TEST_P(LiveLayout, a_member_out_of_place_is_noticed_by_the_check_for_it) {
  using ::testing::Contains;
  const beam::Layout own = vm().layout();
  const auto with = [&](auto change) {
    beam::Layout wrong = own;
    change(wrong);
    return failures(wrong);
  };
  EXPECT_THAT(with([](auto& l) { l.atom.text.offset -= 8; }), Contains("atoms"));
  EXPECT_THAT(with([](auto& l) { l.atom.length.offset += 4; }), Contains("atoms"));
  EXPECT_THAT(with([](auto& l) { l.index_table.seg_table.offset -= 8; }), Contains("atoms"));
  EXPECT_THAT(with([](auto& l) { l.scheduler_data.ssi.offset += 8; }), Contains("schedulers"));
  EXPECT_THAT(with([](auto& l) { l.scheduler_data.no.offset += 8; }), Contains("attach"));
  EXPECT_THAT(with([](auto& l) { l.process.heap.offset += 8; }), Contains("process_fields"));
  EXPECT_THAT(with([](auto& l) { l.process.initial_module.offset += 16; }),
              Contains("process_fields"));
  EXPECT_THAT(with([](auto& l) { l.process.id.offset += 8; }), Contains("processes"));
  EXPECT_THAT(with([](auto& l) { l.code_info.module.offset += 8; }), Contains("attach"));
  EXPECT_THAT(with([](auto& l) { l.range.end.offset = 0; }), Contains("attach"));
  EXPECT_THAT(with([](auto& l) { l.ranges.modules.offset += 8; }), Contains("attach"));
}

}  // namespace
}  // namespace beam_exporter::tests
