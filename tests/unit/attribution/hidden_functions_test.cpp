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

// As those of beam_jit_common.cpp.
[[gnu::noinline]] unsigned long after_pointer(unsigned long value) { return collector(value) + 6; }
[[gnu::noinline]] unsigned long by_pointer(unsigned long (*function)(unsigned long)) {
  return after_pointer(function(7));
}
[[gnu::noinline]] unsigned long by_nif_pointer(unsigned long (*function)(unsigned long)) {
  return after_pointer(function(many_call_this(8)));
}
}

// As those of erl_port_task.c and io.c: static, so that no other file sees them.
extern "C" {
[[gnu::noinline]] static int execute_task(int type) {
  asm volatile("" : "+r"(type) : "r"("Invalid port task type: %d\n") : "memory");
  return type + 1;
}
[[gnu::noinline]] static int other_printer(int type) {
  asm volatile("" : "+r"(type) : "r"("Invalid port task type: %d\n") : "memory");
  return type + 2;
}
[[gnu::noinline]] static int output(int value) {
  asm volatile("" : "+r"(value));
  return value + 3;
}
[[gnu::noinline]] static int control(int value) {
  asm volatile("" : "+r"(value));
  return value + 4;
}
[[gnu::noinline]] static int call(int value) {
  asm volatile("" : "+r"(value));
  return value + 5;
}

[[gnu::noinline]] int ends_process(int value) { return call(value) - 2; }
[[gnu::noinline]] int exits_process(int value) { return ends_process(control(value) + value); }
[[gnu::noinline]] int scheduling_loop(int value) { return execute_task(value) + 6; }
[[gnu::noinline]] int beside_the_loop(int value) { return other_printer(value) + 7; }
[[gnu::noinline]] int command_bif(int value) { return output(value) + 8; }
[[gnu::noinline]] int control_bif(int value) { return control(value) + 9; }
[[gnu::noinline]] int call_bif(int value) { return call(value) + 10; }
}

namespace beam_exporter::attribution {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

class HiddenFunctions : public OwnFile {
 protected:
  auto from(const FunctionSearch::Names& known,
            const std::set<std::uint64_t>& called_by_jit = {}) const {
    return hidden_functions(calls_, symbols_, texts_, known, called_by_jit);
  }
  auto from_bif(std::string_view bif) const {
    return from({{place(bif), "erts_internal_garbage_collect_1"}});
  }

  elf::TextUses texts_{image_, symbols_};
};

TEST_F(HiddenFunctions, the_collecting_bif_leads_to_what_few_others_call) {
  EXPECT_THAT(from_bif("collecting_bif"),
              UnorderedElementsAre(Pair(place("collection"), "erts_garbage_collect"),
                                   Pair(place("collector"), "garbage_collect")));
}

TEST_F(HiddenFunctions, a_bif_that_calls_more_than_one_function_leads_nowhere) {
  EXPECT_THAT(from_bif("a_bif_that_does_more"), IsEmpty());
}

TEST_F(HiddenFunctions, what_only_one_function_calls_is_not_the_collector) {
  // collection calls collector and many_call_this; collector calls only the latter.
  EXPECT_THAT(from_bif("another_collection"), IsEmpty());
  EXPECT_THAT(from_bif("many_call_this"), IsEmpty());
  EXPECT_THAT(from({{1, "erts_internal_garbage_collect_1"}}), IsEmpty());
}

TEST_F(HiddenFunctions, what_calls_bifs_and_nifs_by_pointers_is_called_by_the_jit_alone) {
  const FunctionSearch::Names known{{place("collecting_bif"), "erts_internal_garbage_collect_1"}};
  const auto bif = place("by_pointer"), nif = place("by_nif_pointer");
  const auto told = from(known, {bif, nif, place("collection")});
  EXPECT_THAT(told, Contains(Pair(bif, "beam_jit_call_bif")));
  EXPECT_THAT(told, Contains(Pair(nif, "beam_jit_call_nif")));
  EXPECT_THAT(from(known, {bif}), Not(Contains(Pair(bif, "beam_jit_call_bif"))))
      << "alone it may be either";
}

TEST_F(HiddenFunctions, what_ends_processes_may_only_be_jumped_to) {
  const auto exits = place("exits_process"), ends = place("ends_process");
  const FunctionSearch::Names known{{exits, "erts_do_exit_process"}};
  EXPECT_THAT(from(known, {exits, ends, place("collection")}),
              UnorderedElementsAre(Pair(ends, "erts_continue_exit_process")));
  EXPECT_THAT(from(known), IsEmpty());
}

TEST_F(HiddenFunctions, of_ports_are_found_all_or_none) {
  FunctionSearch::Names known{{place("scheduling_loop"), "erts_schedule"},
                              {place("command_bif"), "erts_internal_port_command_3"},
                              {place("control_bif"), "erts_internal_port_control_3"},
                              {place("call_bif"), "erts_internal_port_call_3"}};
  EXPECT_THAT(from(known),
              UnorderedElementsAre(Pair(place("execute_task"), "erts_port_task_execute"),
                                   Pair(place("output"), "erts_port_output"),
                                   Pair(place("control"), "erts_port_control"),
                                   Pair(place("call"), "erts_port_call")));
  known.erase(place("call_bif"));
  EXPECT_THAT(from(known), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::attribution
