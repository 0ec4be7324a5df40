#include "attribution/hidden_functions.h"

#include <gmock/gmock.h>

#include "own_file.h"

// C functions that call each other as those of erl_gc.c do.
extern "C" {
[[gnu::noinline]] unsigned long many_call_this(unsigned long value) {
  asm volatile("" : "+r"(value));
  return value * 3;
}
[[gnu::noinline]] unsigned long collector(unsigned long value) { return many_call_this(value) + 1; }
[[gnu::noinline]] unsigned long collection(unsigned long value) {
  return collector(value) + many_call_this(value + 1);
}
[[gnu::noinline]] unsigned long another_collection(unsigned long value) {
  return collector(value) * 2;
}
[[gnu::noinline]] unsigned long collecting_bif(unsigned long value) {
  return collection(value) + 5;
}
[[gnu::noinline]] unsigned long a_bif_that_does_more(unsigned long value) {
  return collection(value) + another_collection(value + 1);
}
unsigned long caller_1(unsigned long value) { return many_call_this(value) + 11; }
unsigned long caller_2(unsigned long value) { return many_call_this(value) + 12; }
unsigned long caller_3(unsigned long value) { return many_call_this(value) + 13; }
unsigned long caller_4(unsigned long value) { return many_call_this(value) + 14; }
}

namespace beam_exporter::attribution {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

using HiddenFunctions = OwnFile;

TEST_F(HiddenFunctions, the_collecting_bif_leads_to_what_few_others_call) {
  EXPECT_THAT(hidden_functions(calls_, place("collecting_bif")),
              UnorderedElementsAre(Pair(place("collection"), "erts_garbage_collect"),
                                   Pair(place("collector"), "garbage_collect")));
}

TEST_F(HiddenFunctions, a_bif_that_calls_more_than_one_function_leads_nowhere) {
  EXPECT_THAT(hidden_functions(calls_, place("a_bif_that_does_more")), IsEmpty());
}

TEST_F(HiddenFunctions, what_only_one_function_calls_is_not_the_collector) {
  // collection calls collector and many_call_this; collector calls only the latter.
  EXPECT_THAT(hidden_functions(calls_, place("another_collection")), IsEmpty());
  EXPECT_THAT(hidden_functions(calls_, place("many_call_this")), IsEmpty());
  EXPECT_THAT(hidden_functions(calls_, 1), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::attribution
