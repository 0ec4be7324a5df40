#include "beam/layout/member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {
namespace {

struct PairLayout : Struct<"pair_t"> {
  Member<std::uint16_t> first{"a.b"};
  Member<Eterm> second{".size", Need::optional};
};
struct LockLayout : Struct<"lock_t"> {};
struct LaterLayout : Struct<"later_t"> {
  Member<std::uint32_t> only{"c", Need::optional};
};
struct Three {
  PairLayout pair;
  LockLayout lock;
  LaterLayout later;
};

TEST(Member, a_fresh_struct_has_names_and_no_places) {
  auto rows = rows_of(Three{});
  const auto structs = structs_in(rows);
  ASSERT_EQ(structs.size(), 3U);
  EXPECT_EQ(structs[0].head.name, "pair_t");
  EXPECT_EQ(structs[1].head.name, "lock_t");
  EXPECT_EQ(structs[2].head.name, "later_t");
  for (const auto& part : structs) {
    EXPECT_EQ(part.head.width, 0U);
    EXPECT_FALSE(part.head.present());
  }
  ASSERT_EQ(structs[0].members.size(), 2U);
  const Row& first = structs[0].members[0];
  const Row& second = structs[0].members[1];
  EXPECT_EQ(first.name, "a.b");
  EXPECT_EQ(first.widest, 2U);
  EXPECT_EQ(first.need, Need::required);
  EXPECT_FALSE(first.present());
  EXPECT_EQ(second.name, ".size");
  EXPECT_EQ(second.widest, 8U);
  EXPECT_EQ(second.need, Need::optional);
  EXPECT_TRUE(structs[1].members.empty());
}

TEST(Member, what_is_set_in_rows_is_read_through_members_and_back) {
  Three three;
  auto rows = rows_of(three);
  auto structs = structs_in(rows);
  structs[0].head.width = 16;
  structs[0].members[1].offset = 8;
  structs[0].members[1].width = 4;
  structs[1].head.width = 40;
  set_rows(three, rows);
  EXPECT_EQ(three.pair.size, 16U);
  EXPECT_FALSE(three.pair.first.present());
  EXPECT_EQ(three.pair.second, (Field<Eterm>{8, 4}));
  EXPECT_EQ(three.lock.size, 40U);
  EXPECT_EQ(three.later.size, 0U);

  three.later.only.offset = 24;
  const auto again = rows_of(three.later);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[1].offset, 24U);
}

TEST(Member, a_struct_is_required_when_a_member_is_or_it_has_none) {
  auto rows = rows_of(Three{});
  const auto structs = structs_in(rows);
  EXPECT_TRUE(structs[0].required());
  EXPECT_TRUE(structs[1].required());
  EXPECT_FALSE(structs[2].required());
}

// A name that is there twice would be asked for twice, and a file could hold it only once.
TEST(Member, names_in_a_layout_are_there_and_different) {
  auto rows = rows_of(StructLayouts{});
  std::set<std::string_view> structs;
  for (const auto& part : structs_in(rows)) {
    EXPECT_TRUE(structs.insert(part.head.name).second) << part.head.name;
    std::set<std::string_view> members{"size"};
    for (const Row& member : part.members) {
      EXPECT_FALSE(member.name.empty()) << part.head.name;
      EXPECT_TRUE(members.insert(member.name).second) << part.head.name << " " << member.name;
      EXPECT_THAT(member.widest, ::testing::AnyOf(1, 2, 4, 8)) << member.name;
    }
  }
  EXPECT_TRUE(structs.contains("Process")) << "the first one";
  EXPECT_TRUE(structs.contains("cache_t_")) << "the last one";
}

}  // namespace
}  // namespace beam_exporter::beam
