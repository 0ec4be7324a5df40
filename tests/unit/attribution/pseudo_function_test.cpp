#include "attribution/pseudo_function.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace beam_exporter::attribution {
namespace {

using Function = std::optional<PseudoFunction>;

// Outermost first.
Function pseudo(std::initializer_list<ProcessWork> frames, ProcessMarks marks = {},
                bool has_process = true) {
  ProcessWorkNesting nesting(has_process, marks);
  for (const auto frame : frames) nesting.enter(frame);
  return nesting.function();
}

constexpr ProcessMarks serves{.serves_others = true}, runs{.runs_code = true},
    dirty_loop{.in_dirty_loop = true}, dirty_task{.in_dirty_loop = true, .has_dirty_task = true};

ProcessWork work_of(std::string name) {
  const std::vector<std::string> names = {"an_alias", std::move(name)};
  return process_work_of(names);
}

TEST(PseudoFunction, names_are_no_functions_of_erlang) {
  EXPECT_EQ(name_of(PseudoFunction::exit), "exit");
  EXPECT_EQ(name_of(PseudoFunction::scheduling), "scheduling");
  EXPECT_EQ(name_of(PseudoFunction::signals), "signals");
  for (const auto name : pseudo_function_names) EXPECT_EQ(name.find('/'), std::string_view::npos);
}

TEST(PseudoFunction, work_is_told_by_any_name) {
  EXPECT_EQ(work_of("erts_continue_exit_process"), ProcessWork::exit);
  EXPECT_EQ(work_of("erts_proc_sig_handle_incoming"), ProcessWork::signals);
  EXPECT_EQ(work_of("copy_struct_x"), ProcessWork::none);
  EXPECT_EQ(process_work_of({}), ProcessWork::none);
}

TEST(PseudoFunction, code_of_the_process_itself_has_none) {
  EXPECT_EQ(pseudo({}), Function());
  EXPECT_EQ(pseudo({ProcessWork::none, ProcessWork::collection}), Function());
  // What others may ask for it may do to itself.
  EXPECT_EQ(pseudo({ProcessWork::system_task}), Function());
}

TEST(PseudoFunction, signals_are_served_wherever_they_are_handled) {
  EXPECT_EQ(pseudo({ProcessWork::signals}), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::scheduling, ProcessWork::signals}), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::signals, ProcessWork::collection}, runs), PseudoFunction::signals);
}

TEST(PseudoFunction, the_scheduler_serves_others_or_schedules) {
  EXPECT_EQ(pseudo({ProcessWork::scheduling}), PseudoFunction::scheduling);
  EXPECT_EQ(pseudo({ProcessWork::scheduling}, runs), PseudoFunction::scheduling);
  EXPECT_EQ(pseudo({ProcessWork::scheduling}, serves), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::scheduling, ProcessWork::system_task}), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::scheduling}, serves, false), Function());
}

TEST(PseudoFunction, a_collection_before_its_own_code_is_its_own) {
  EXPECT_EQ(pseudo({ProcessWork::scheduling, ProcessWork::collection}, runs), Function());
  EXPECT_EQ(pseudo({ProcessWork::scheduling, ProcessWork::collection}, serves),
            PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::scheduling, ProcessWork::collection}), PseudoFunction::signals);
}

TEST(PseudoFunction, a_dirty_scheduler_collects_for_the_process_or_for_who_asked) {
  EXPECT_EQ(pseudo({ProcessWork::dirty_system_task, ProcessWork::collection}), Function());
  EXPECT_EQ(pseudo({ProcessWork::dirty_system_task, ProcessWork::collection}, dirty_task),
            PseudoFunction::signals);
  // Only a collection may be its own; the tasks are taken off before who asked is answered.
  EXPECT_EQ(pseudo({ProcessWork::dirty_system_task}), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::dirty_loop}, dirty_loop), PseudoFunction::signals);
  EXPECT_EQ(pseudo({ProcessWork::dirty_loop, ProcessWork::collection}, dirty_loop), Function());
  EXPECT_EQ(pseudo({ProcessWork::dirty_loop}), Function()) << "its own NIF";
}

TEST(PseudoFunction, ending_comes_before_all_else) {
  EXPECT_EQ(pseudo({ProcessWork::exit}), PseudoFunction::exit);
  EXPECT_EQ(pseudo({ProcessWork::exit, ProcessWork::signals, ProcessWork::collection}, serves),
            PseudoFunction::exit);
}

}  // namespace
}  // namespace beam_exporter::attribution
