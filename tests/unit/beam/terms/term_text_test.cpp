#include "beam/terms/term_text.h"

#include <gtest/gtest.h>

#include "beam/terms/term.h"
#include "fakes/corrupted.h"
#include "fakes/fake_terms.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

class TermTextTest : public tests::EachRelease {
 protected:
  std::optional<std::string> text(Eterm term) {
    return term_text(vm.layout, vm.memory, atoms, term);
  }
  tests::TermsInMemory terms{vm};
  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
  static constexpr Eterm nil = tests::TermsInMemory::nil;
};
INSTANTIATE_TEST_SUITE_P(Releases, TermTextTest, tests::each_release, tests::release_name);

TEST_P(TermTextTest, terms_that_people_use_as_labels) {
  EXPECT_EQ(text(vm.atom("worker")), "worker");
  EXPECT_EQ(text(terms.tuple({vm.atom("worker"), terms.integer(-7)})), "{worker,-7}");
  EXPECT_EQ(text(vm.string(U"caf\u00e9")), "café");
  EXPECT_EQ(text(terms.binary("blue", 4)), "blue");
  EXPECT_EQ(text(terms.list({vm.atom("a"), terms.tuple({})})), "[a,{}]");
  const Eterm end_in_23 = ~Eterm{0x3f} | nil;
  EXPECT_EQ(text(terms.list({terms.integer('o'), terms.integer('k')}, end_in_23)), "ok");
  EXPECT_EQ(text(terms.tuple({end_in_23})), "{[]}");
}

// ErlHeapBin with its size in bytes (OTP 25), or ErlHeapBits with its size in bits (OTP 27, 29).
// What is one of them in a release is a binary whose bytes are elsewhere in the other.
TEST_P(TermTextTest, a_binary_has_the_form_of_its_release) {
  const Eterm in_bytes = terms.binary(0x24, "blue green", 10),
              in_bits = terms.binary(0x20, "blue green", 80);
  const bool has_bits = std::stoi(vm.layout.otp_release) >= 27;
  EXPECT_EQ(text(has_bits ? in_bits : in_bytes), "blue green");
  EXPECT_EQ(text(has_bits ? in_bytes : in_bits), std::nullopt);
  EXPECT_EQ(text(terms.binary("", 0)), std::nullopt) << "empty";
}

TEST_P(TermTextTest, bits_that_are_not_whole_bytes_are_no_text) {
  if (!vm.layout.heap_bits.bits.present()) return;
  EXPECT_EQ(text(terms.binary(0x20, "blue", 31)), std::nullopt);
}

TEST_P(TermTextTest, without_the_struct_of_binaries_they_are_no_text) {
  const Eterm binary = terms.binary("blue", 4);
  ASSERT_EQ(text(binary), "blue");
  Layout without = vm.layout;
  without.heap_binary = {};
  without.heap_bits = {};
  EXPECT_EQ(term_text(without, vm.memory, atoms, binary), std::nullopt);
}

TEST_P(TermTextTest, lists_that_bite_their_tail_or_have_none_are_no_text) {
  const Eterm list = terms.list({vm.atom("a"), vm.atom("b")});
  vm.memory.put(pointer(list) + 8, list);
  const auto before = vm.memory.reads();
  EXPECT_EQ(text(list), std::nullopt);
  EXPECT_LT(vm.memory.reads() - before, 300U);
  EXPECT_EQ(text(terms.list({vm.atom("a")}, vm.atom("b"))), std::nullopt);
  EXPECT_EQ(text(terms.list({vm.atom("a")}, 0xdead0001)), std::nullopt);
}

TEST_P(TermTextTest, a_tuple_that_holds_itself_is_no_text) {
  const Eterm tuple = terms.tuple({nil, nil, nil, nil, nil, nil, nil, nil});
  for (int k = 1; k <= 8; ++k) vm.memory.put(pointer(tuple) + k * 8ULL, tuple);
  const auto before = vm.memory.reads();
  EXPECT_EQ(text(tuple), std::nullopt);
  EXPECT_LT(vm.memory.reads() - before, 5000U);
}

TEST_P(TermTextTest, absurd_sizes_are_no_text) {
  EXPECT_EQ(text(terms.binary("blue", 101)), std::nullopt);
  EXPECT_EQ(text(terms.binary("blue", std::uint64_t{1} << 60)), std::nullopt);
  EXPECT_EQ(text(terms.tuple(std::vector<Eterm>(9, nil))), std::nullopt);
  const Eterm tuple = terms.tuple({nil});
  vm.memory.put(pointer(tuple), ~Eterm{0} << 6);
  EXPECT_EQ(text(tuple), std::nullopt);
  EXPECT_EQ(text(terms.list(std::vector<Eterm>(101, terms.integer('x')))), std::nullopt);
}

TEST_P(TermTextTest, bytes_that_no_log_should_have_are_no_text) {
  EXPECT_EQ(text(terms.binary("a\nb", 3)), std::nullopt);
  EXPECT_EQ(text(terms.binary("a\0b", 3)), std::nullopt);
  EXPECT_EQ(text(terms.binary("\xff\xfe", 2)), std::nullopt) << "not UTF-8";
  EXPECT_EQ(text(terms.binary("\xed\xa0\x80", 3)), std::nullopt) << "half a surrogate pair";
}

TEST_P(TermTextTest, letters_that_are_none_make_no_string) {
  EXPECT_EQ(text(terms.list({terms.integer('a'), terms.integer(0xd800)})), "[97,55296]");
  EXPECT_EQ(text(terms.list({terms.integer(10), terms.integer(0x110000)})), "[10,1114112]");
}

TEST_P(TermTextTest, wild_words_are_no_text) {
  for (const Eterm wild : {Eterm{0}, Eterm{2}, Eterm{1}, Eterm{0xdead0002}, Eterm{0xdead0001},
                           ~Eterm{0} - 5, ~Eterm{0} - 6, Eterm{0x3}, Eterm{1} << 63})
    EXPECT_EQ(text(wild), std::nullopt) << std::hex << wild;
}

TEST_P(TermTextTest, whatever_one_word_becomes_the_text_is_short) {
  const Eterm label =
      terms.tuple({vm.atom("a"), terms.list({terms.integer(1), nil}), terms.binary("12345678", 8)});
  tests::with_each_word_corrupted(vm.memory, terms.begin(), terms.bytes(), [&] {
    const auto before = vm.memory.reads();
    const auto found = text(label);
    ASSERT_LT(vm.memory.reads() - before, 5000U);
    ASSERT_LE(found.value_or("").size(), 100U);
  });
}

}  // namespace
}  // namespace beam_exporter::beam
