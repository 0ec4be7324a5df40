#include "attribution/function_search.h"

#include <gmock/gmock.h>

#include "own_file.h"

// Static, as all of a file that exports nothing.
extern "C" {
[[gnu::noinline]] static int prints_a_text(int value) {
  asm volatile("" : "+r"(value) : "r"("a text of the search's test\n") : "memory");
  return value * 3;
}
[[gnu::noinline]] static int prints_it_too(int value) {
  asm volatile("" : "+r"(value) : "r"("a text of the search's test\n") : "memory");
  return value * 5;
}
[[gnu::noinline]] static int middle_one(int value) { return prints_a_text(value) + 1; }
[[gnu::noinline]] static int middle_two(int value) { return prints_it_too(value) + 2; }

[[gnu::noinline]] int search_root(int value) { return middle_one(value) + middle_two(value); }
[[gnu::noinline]] int search_branch(int value) { return middle_one(value) + 4; }
}

namespace beam_exporter::attribution {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class FunctionSearchIn : public OwnFile {
 protected:
  auto found(std::initializer_list<Fingerprint> fingerprints,
             FunctionSearch::Names known = {}) const {
    FunctionSearch search(calls_, symbols_, &texts_, std::move(known));
    for (const auto& fingerprint : fingerprints) search.find(fingerprint);
    return std::move(search).take();
  }

  elf::TextUses texts_{image_, symbols_};
};

TEST_F(FunctionSearchIn, a_text_and_a_caller_tell_together_what_neither_tells_alone) {
  const Fingerprint text{.name = "printer", .prints = "a text of the search's test\n"};
  EXPECT_THAT(found({text}), IsEmpty()) << "two print it";
  Fingerprint both = text;
  both.called_by = {"middle_two"};
  EXPECT_THAT(found({both}), UnorderedElementsAre(Pair(place("prints_it_too"), "printer")));
}

TEST_F(FunctionSearchIn, a_row_uses_what_earlier_rows_have_found) {
  const Fingerprint first{
      .name = "one", .called_by = {"search_root", "search_branch"}, .most_callers = 2};
  const Fingerprint second{.name = "two", .called_by = {"one"}};
  EXPECT_THAT(found({first, second}), UnorderedElementsAre(Pair(place("middle_one"), "one"),
                                                           Pair(place("prints_a_text"), "two")));
  EXPECT_THAT(found({second}), IsEmpty());
}

TEST_F(FunctionSearchIn, what_has_more_callers_does_not_fit) {
  const Fingerprint wanted{.name = "one", .called_by = {"search_branch"}, .most_callers = 1};
  EXPECT_THAT(found({wanted}), IsEmpty());
}

TEST_F(FunctionSearchIn, what_is_known_is_not_found_again_and_may_be_named_in_rows) {
  const FunctionSearch::Names known{{place("middle_one"), "known"}};
  EXPECT_THAT(found({{.name = "other", .called_by = {"search_root"}}}, known),
              UnorderedElementsAre(Pair(place("middle_two"), "other")));
  EXPECT_THAT(found({{.name = "below", .called_by = {"known"}}}, known),
              UnorderedElementsAre(Pair(place("prints_a_text"), "below")));
}

TEST_F(FunctionSearchIn, a_symbol_tells_more_than_a_fingerprint) {
  EXPECT_THAT(found({{.name = "middle_two", .called_by = {"search_branch"}}}),
              UnorderedElementsAre(Pair(place("middle_two"), "middle_two")));
}

}  // namespace
}  // namespace beam_exporter::attribution
