#include "elf/debug_types.h"

#include <gtest/gtest.h>

#include <cstddef>

#include "unit/elf/known_types.h"

namespace beam_exporter::elf {
namespace {

// The answer for one type of this very binary.
TypeAnswer ask(const std::string& name, const std::vector<std::string>& members) {
  const auto image = Image::open("/proc/self/exe");
  EXPECT_TRUE(image) << image.error().text;
  const std::vector<TypeQuery> queries{{name, members}};
  const auto answers = read_types(*image, queries);
  EXPECT_TRUE(answers) << answers.error().text;
  if (!(*answers)[0]) {
    ADD_FAILURE() << "no complete type " << name;
    return TypeAnswer{0, std::vector<os::Result<MemberPlace>>(members.size(), MemberPlace{})};
  }
  return *(*answers)[0];
}

MemberPlace place(const std::string& type, const std::string& member) {
  const auto found = ask(type, {member}).members[0];
  EXPECT_TRUE(found) << found.error().text;
  return found ? *found : MemberPlace{};
}

using Place = MemberPlace;

TEST(DebugTypes, tells_sizes) {
  EXPECT_EQ(ask("KnownInner", {}).size, sizeof(KnownInner));
  EXPECT_EQ(ask("KnownAtomic", {}).size, sizeof(KnownInner)) << "through a typedef";
  EXPECT_EQ(ask("KnownOuter", {}).size, sizeof(KnownOuter));
}

TEST(DebugTypes, finds_direct_members) {
  EXPECT_EQ(place("KnownOuter", "first"), (Place{offsetof(KnownOuter, first), 8}));
  EXPECT_EQ(place("KnownOuter", "callback"), (Place{offsetof(KnownOuter, callback), 8}));
  EXPECT_EQ(place("KnownInner", "tag"), (Place{0, 1}));
}

TEST(DebugTypes, looks_through_anonymous_unions_and_structs) {
  EXPECT_EQ(place("KnownOuter", "as_word"), (Place{offsetof(KnownOuter, as_word), 8}));
  EXPECT_EQ(place("KnownOuter", "high"), (Place{offsetof(KnownOuter, high), 2}));
}

TEST(DebugTypes, follows_a_path_through_typedefs_and_qualifiers) {
  EXPECT_EQ(place("KnownOuter", "common.u.alive.state.counter"),
            (Place{offsetof(KnownOuter, common.u.alive.state.counter), 4}));
  EXPECT_EQ(place("KnownOuter", "common.u.released"),
            (Place{offsetof(KnownOuter, common.u.released), 1}));
}

TEST(DebugTypes, an_array_has_the_width_of_its_element) {
  EXPECT_EQ(place("KnownOuter", "table"), (Place{offsetof(KnownOuter, table), 2}));
  EXPECT_EQ(place("KnownOuter", "inners"),
            (Place{offsetof(KnownOuter, inners), sizeof(KnownInner)}));
  EXPECT_EQ(place("KnownOuter", "tail"), (Place{offsetof(KnownOuter, tail), 8}));
}

TEST(DebugTypes, a_path_goes_through_the_first_element_of_an_array) {
  EXPECT_EQ(place("KnownOuter", "inners.counter"),
            (Place{offsetof(KnownOuter, inners) + offsetof(KnownInner, counter), 4}));
}

TEST(DebugTypes, a_leading_dot_changes_nothing) {
  EXPECT_EQ(place("KnownOuter", ".table"), place("KnownOuter", "table"));
}

TEST(DebugTypes, refuses_bit_fields) {
  const auto answer = ask("KnownOuter", {"one_bit", "more_bits", "plain_bits_before"});
  EXPECT_EQ(answer.members[0].error().kind, os::ErrorKind::unsupported);
  EXPECT_EQ(answer.members[1].error().kind, os::ErrorKind::unsupported);
  EXPECT_TRUE(answer.members[2]);
}

TEST(DebugTypes, names_a_member_that_is_not_there) {
  const auto answer = ask("KnownOuter", {"common.u.dead", "first.inside", "", "first", "common."});
  ASSERT_FALSE(answer.members[0]);
  EXPECT_EQ(answer.members[0].error().kind, os::ErrorKind::not_found);
  EXPECT_EQ(answer.members[0].error().text, "no member common.u.dead");
  EXPECT_FALSE(answer.members[1]) << "a pointer is not followed";
  EXPECT_FALSE(answer.members[2]);
  EXPECT_TRUE(answer.members[3]);
  EXPECT_FALSE(answer.members[4]);
}

TEST(DebugTypes, skips_mere_declarations) {
  EXPECT_EQ(place("KnownDeclared", "value"), (Place{offsetof(KnownDeclared, value), 4}));
}

TEST(DebugTypes, prefers_the_definition_with_the_wanted_members) {
  EXPECT_EQ(place("KnownVariant", "table"), (Place{offsetof(KnownOuter, table), 2}));
}

TEST(DebugTypes, answers_in_the_order_of_the_questions) {
  const auto image = Image::open("/proc/self/exe");
  ASSERT_TRUE(image);
  const std::vector<TypeQuery> queries{
      {"KnownOuter", {"table", "first"}}, {"no_such_struct", {"x"}}, {"KnownInner", {"counter"}}};
  const auto answers = read_types(*image, queries);
  ASSERT_TRUE(answers) << answers.error().text;
  ASSERT_EQ(answers->size(), 3U);
  ASSERT_TRUE((*answers)[0]);
  EXPECT_EQ((*answers)[0]->members[1]->offset, offsetof(KnownOuter, first));
  EXPECT_FALSE((*answers)[1]);
  ASSERT_TRUE((*answers)[2]);
  EXPECT_EQ((*answers)[2]->members[0]->offset, offsetof(KnownInner, counter));
}

TEST(DebugTypes, says_when_there_is_no_dwarf) {
  const auto image = Image::open("/bin/true");
  ASSERT_TRUE(image) << image.error().text;
  const auto answers = read_types(*image, {});
  ASSERT_FALSE(answers);
  EXPECT_EQ(answers.error().kind, os::ErrorKind::unsupported);
}

}  // namespace
}  // namespace beam_exporter::elf
