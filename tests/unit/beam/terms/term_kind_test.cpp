#include "beam/terms/term_kind.h"

#include <gtest/gtest.h>

#include "beam/terms/term.h"
#include "fakes/fake_terms.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class TermKindTest : public tests::EachRelease {
 protected:
  std::string kind(Eterm term) { return term_kind(vm.layout, vm.memory, atoms, term); }
  // A term whose header has this subtag.
  Eterm boxed(Eterm subtag) {
    const os::Address at = vm.allocate(16);
    vm.memory.put(at, Eterm{1 << 6 | subtag << 2});
    return at | 2;
  }
  tests::TermsInMemory terms{vm};
  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
};
INSTANTIATE_TEST_SUITE_P(Releases, TermKindTest, tests::each_release, tests::release_name);

TEST_P(TermKindTest, a_tuple_is_its_tag_and_its_size) {
  const auto one = terms.integer(1);
  EXPECT_EQ(kind(terms.tuple({vm.atom("$gen_call"), one, one})), "{'$gen_call',...}/3");
  EXPECT_EQ(kind(terms.tuple({vm.atom("tick")})), "{tick}/1");
  EXPECT_EQ(kind(terms.tuple({one, one})), "{<integer>,...}/2");
  EXPECT_EQ(kind(terms.tuple({terms.tuple({one}), one})), "{<tuple>,...}/2");
  EXPECT_EQ(kind(terms.tuple({boxed(4), one})), "{<reference>,...}/2");
  EXPECT_EQ(kind(terms.tuple({})), "{}");
}

TEST_P(TermKindTest, other_terms_are_their_type_and_never_their_content) {
  EXPECT_EQ(kind(vm.atom("stop")), "stop");
  EXPECT_EQ(kind(terms.integer(-7)), "<integer>");
  EXPECT_EQ(kind(terms.list({terms.integer(1)})), "<list>");
  EXPECT_EQ(kind(tests::TermsInMemory::nil), "[]");
  EXPECT_EQ(kind(~Eterm{0x3f} | tests::TermsInMemory::nil), "[]") << "OTP 23";
  EXPECT_EQ(kind(terms.binary("secret", 6)), "<binary>");
  EXPECT_EQ(kind(0x1003), "<pid>");
  EXPECT_EQ(kind(0x1007), "<port>");
  EXPECT_EQ(kind(boxed(6)), "<float>");
}

// MAP_SUBTAG, erl_term.h: 0xF in OTP 25 and 26, 0xB in OTP 27 and 29.
TEST_P(TermKindTest, a_map_has_the_number_of_its_release) {
  const bool new_numbers = std::stoi(vm.layout.otp_release) >= 27;
  EXPECT_EQ(kind(boxed(new_numbers ? 0xb : 0xf)), "<map>");
  EXPECT_EQ(kind(boxed(new_numbers ? 0xf : 0xb)), "<other>");
}

TEST_P(TermKindTest, memory_that_is_gone_or_overwritten_is_unreadable) {
  EXPECT_EQ(kind(0xdead0002), "<unreadable>");
  const os::Address moved = vm.allocate(8);
  vm.memory.put(moved, terms.integer(1));
  EXPECT_EQ(kind(moved | 2), "<unreadable>") << "no header";
  vm.memory.put(moved, Eterm{1} << 40);
  EXPECT_EQ(kind(moved | 2), "<unreadable>") << "no tuple has so many elements";
}

TEST(QuotedAtom, has_quotes_where_erlang_needs_them) {
  EXPECT_EQ(quoted_atom("gen_call@2"), "gen_call@2");
  EXPECT_EQ(quoted_atom("Elixir.Shop"), "'Elixir.Shop'");
  EXPECT_EQ(quoted_atom("end"), "'end'");
  EXPECT_EQ(quoted_atom(""), "''");
  EXPECT_EQ(quoted_atom("it's \\"), "'it\\'s \\\\'");
  EXPECT_EQ(quoted_atom("a\x1b[2J\n"), "'a\\x1b[2J\\x0a'");
}

}  // namespace
}  // namespace beam_exporter::beam
