#include "beam/code/code_index.h"

#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using std::chrono::nanoseconds;
using tests::FakeModule;

class CodeIndexTest : public tests::EachRelease {
 protected:
  void refresh_at(nanoseconds now) {
    vm.now = now;
    ASSERT_TRUE(code.refresh());
  }
  // "demo:a/0", or why there is no name.
  std::string at(os::Address address, nanoseconds when) {
    return text(code.function_at(address, when));
  }
  std::string text(const CodeAnswer& answer) {
    if (answer.mfa != nullptr) {
      EXPECT_EQ(answer.miss, CodeMiss::none);
      return *atoms.name(answer.mfa->module) + ":" + *atoms.name(answer.mfa->function) + "/" +
             std::to_string(answer.mfa->arity);
    }
    switch (answer.miss) {
      case CodeMiss::not_code:
        return "not_code";
      case CodeMiss::no_call:
        return "no_call";
      case CodeMiss::changed:
        return "changed";
      case CodeMiss::undecoded:
        return "undecoded";
      case CodeMiss::none:
        break;
    }
    return "none";
  }
  os::Address inside(os::AddressRange module, std::size_t function = 0) {
    return vm.function_start(module, function) + 60;
  }

  Atoms atoms{vm.layout, vm.memory, tests::FakeVm::atom_table};
  CodeIndex code{vm.layout, vm.memory, vm.code_place(), vm.clock()};
  const FakeModule first{"demo", {{"a", 0}, {"b", 1}}};
};
INSTANTIATE_TEST_SUITE_P(Releases, CodeIndexTest, tests::each_release, tests::release_name);

TEST_P(CodeIndexTest, names_what_was_there_before_the_moment_asked_for) {
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(500));
  EXPECT_EQ(at(inside(demo, 0), nanoseconds(500)), "demo:a/0");
  EXPECT_EQ(at(inside(demo, 1), nanoseconds(700)), "demo:b/1");
  EXPECT_EQ(at(inside(demo, 1), nanoseconds(499)), "changed");
  EXPECT_EQ(at(demo.end, nanoseconds(700)), "not_code");
  EXPECT_EQ(at(0, nanoseconds(700)), "not_code");
  EXPECT_EQ(code.modules(), 4U);
  EXPECT_EQ(code.functions(), 8U);
}

TEST_P(CodeIndexTest, a_load_makes_nothing_else_forgotten) {
  refresh_at(nanoseconds(100));
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(900));
  EXPECT_EQ(at(inside(vm.erlang), nanoseconds(150)), "erlang:apply/3");
  EXPECT_EQ(at(inside(demo), nanoseconds(150)), "changed");
  EXPECT_EQ(at(inside(demo), nanoseconds(950)), "demo:a/0");
}

TEST_P(CodeIndexTest, both_versions_are_there_until_the_old_one_is_purged) {
  const auto old = vm.load(first);
  const auto current = vm.load({"demo", {{"a", 0}, {"new", 2}}});
  refresh_at(nanoseconds(100));
  EXPECT_EQ(at(inside(old, 1), nanoseconds(200)), "demo:b/1");
  EXPECT_EQ(at(inside(current, 1), nanoseconds(200)), "demo:new/2");
  vm.purge(old);
  refresh_at(nanoseconds(300));
  EXPECT_EQ(at(inside(old, 1), nanoseconds(200)), "not_code");
  EXPECT_EQ(at(inside(current, 1), nanoseconds(200)), "demo:new/2");
}

TEST_P(CodeIndexTest, another_module_at_an_old_address_is_new) {
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(100));
  vm.purge(demo);
  vm.load({"other", {{"x", 0}, {"y", 0}, {"z", 0}}}, demo.begin);
  refresh_at(nanoseconds(300));
  EXPECT_EQ(at(inside(demo), nanoseconds(200)), "changed");
  EXPECT_EQ(at(inside(demo), nanoseconds(300)), "other:x/0");
}

// Same bounds, same number of functions, no lines and no literals: only the MD5 tells.
TEST_P(CodeIndexTest, a_twin_at_an_old_address_is_new) {
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(100));
  vm.purge(demo);
  ASSERT_EQ(
      vm.load({.name = "demo", .functions = {{"c", 0}, {"d", 1}}, .version = 'b'}, demo.begin),
      demo);
  refresh_at(nanoseconds(300));
  EXPECT_EQ(at(inside(demo), nanoseconds(200)), "changed");
  EXPECT_EQ(at(inside(demo), nanoseconds(300)), "demo:c/0");
}

// Three loads bring the active index back to where it was; the ranges may be the same ones too.
TEST_P(CodeIndexTest, a_twin_is_noticed_when_the_active_index_has_come_around) {
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(100));
  const auto index = vm.active_index();
  const FakeModule twin{.name = "demo", .functions = {{"c", 0}, {"d", 1}}, .version = 'b'};
  for (int k = 0; k < 3; ++k) {
    vm.purge(demo);
    vm.load(twin, demo.begin);
  }
  ASSERT_EQ(vm.active_index(), index);
  const auto before = code.generation();
  refresh_at(nanoseconds(300));
  EXPECT_EQ(at(inside(demo), nanoseconds(200)), "changed");
  EXPECT_EQ(at(inside(demo), nanoseconds(300)), "changed") << "and is read by the next refresh";
  EXPECT_EQ(code.module_at(inside(demo)), nullptr);
  refresh_at(nanoseconds(400));
  EXPECT_EQ(at(inside(demo), nanoseconds(300)), "changed");
  EXPECT_EQ(at(inside(demo), nanoseconds(400)), "demo:c/0");
  EXPECT_GT(code.generation(), before);
}

// Without an MD5 the header has to do.
TEST_P(CodeIndexTest, a_module_without_md5_is_told_by_its_header) {
  const auto demo = vm.load(first);
  vm.memory.put(demo.begin, vm.layout.code_header.md5, 0);
  refresh_at(nanoseconds(100));
  EXPECT_EQ(at(inside(demo), nanoseconds(100)), "demo:a/0");
  vm.memory.put(demo.begin, vm.layout.code_header.line_table, 0x7f0000001000);
  refresh_at(nanoseconds(200));
  EXPECT_EQ(at(inside(demo), nanoseconds(200)), "changed");
  refresh_at(nanoseconds(300));
  EXPECT_EQ(at(inside(demo), nanoseconds(300)), "demo:a/0");
}

TEST_P(CodeIndexTest, only_modules_looked_up_are_asked_for_again) {
  const os::Address address = inside(vm.load(first));
  refresh_at(nanoseconds(100));
  ASSERT_EQ(at(address, nanoseconds(100)), "demo:a/0");
  auto reads = vm.memory.reads();
  refresh_at(nanoseconds(200));
  EXPECT_LE(vm.memory.reads() - reads, 4U) << "the index twice, its table, the ranges";
  reads = vm.memory.reads();
  for (int k = 0; k < 5; ++k) EXPECT_EQ(at(address, nanoseconds(100)), "demo:a/0");
  EXPECT_EQ(vm.memory.reads() - reads, 1U);
}

TEST_P(CodeIndexTest, a_module_that_does_not_decode_is_counted_and_tried_again) {
  const auto demo = vm.load(first);
  const os::Address info = vm.function_start(demo, 1);
  vm.memory.put(info, vm.layout.code_info.arity, 1000);
  refresh_at(nanoseconds(100));
  EXPECT_EQ(code.undecoded(), 1U);
  EXPECT_EQ(at(inside(demo), nanoseconds(100)), "undecoded");
  EXPECT_EQ(code.module_at(inside(demo)), nullptr);
  vm.memory.put(info, vm.layout.code_info.arity, 1);
  vm.load({"unrelated", {{"f", 0}}});
  refresh_at(nanoseconds(200));
  EXPECT_EQ(code.undecoded(), 0U);
  EXPECT_EQ(at(inside(demo), nanoseconds(200)), "demo:a/0");
}

TEST_P(CodeIndexTest, the_generation_moves_with_each_change_and_only_then) {
  refresh_at(nanoseconds(100));
  const auto before = code.generation();
  refresh_at(nanoseconds(200));
  EXPECT_EQ(code.generation(), before);
  const auto demo = vm.load(first);
  refresh_at(nanoseconds(300));
  EXPECT_GT(code.generation(), before);
  const auto loaded = code.generation();
  vm.purge(demo);
  refresh_at(nanoseconds(400));
  EXPECT_GT(code.generation(), loaded);
}

TEST_P(CodeIndexTest, a_refresh_that_fails_keeps_what_was_known) {
  refresh_at(nanoseconds(100));
  vm.set_active_index(7);
  EXPECT_FALSE(code.refresh());
  EXPECT_EQ(at(inside(vm.erlang), nanoseconds(100)), "erlang:apply/3");
}

TEST_P(CodeIndexTest, a_load_committed_during_the_look_is_waited_out) {
  refresh_at(nanoseconds(100));
  int loads = 0;
  vm.memory.before_read = [&](os::Address from, std::size_t bytes) {
    const bool table_array = bytes >= 16 && from % 64 == 0 && from >= 0x7f0000000000;
    if (table_array && loads < 2) vm.load({"late_" + std::to_string(++loads), {{"f", 0}}});
  };
  EXPECT_TRUE(code.refresh());
  EXPECT_EQ(loads, 2);
  vm.memory.before_read = nullptr;
  refresh_at(nanoseconds(200));
  EXPECT_EQ(code.modules(), 5U);
}

class JitCodeIndexTest : public CodeIndexTest {};
INSTANTIATE_TEST_SUITE_P(Releases, JitCodeIndexTest, tests::each_jit_release, tests::release_name);

TEST_P(JitCodeIndexTest, a_caller_is_named_only_right_behind_a_call) {
  const auto demo = vm.load(first);
  const os::Address behind = vm.place_call(inside(demo, 0));
  refresh_at(nanoseconds(100));
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(100))), "demo:a/0");
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(99))), "changed");
  EXPECT_EQ(text(code.caller_at(behind + 8, nanoseconds(100))), "no_call");
  EXPECT_EQ(text(code.caller_at(0x1234, nanoseconds(100))), "not_code");
  EXPECT_EQ(text(code.caller_at(0, nanoseconds(100))), "not_code");
}

TEST_P(CodeIndexTest, a_call_at_the_very_end_belongs_to_its_own_function) {
  const auto demo = vm.load(first);
  const os::Address next = vm.place_call(vm.function_start(demo, 1));
  refresh_at(nanoseconds(100));
  EXPECT_EQ(text(code.caller_at(next, nanoseconds(100))), "demo:a/0");
  EXPECT_EQ(at(next, nanoseconds(100)), "demo:b/1");
}

TEST_P(JitCodeIndexTest, a_proof_is_kept_and_a_failed_read_is_not) {
  const auto demo = vm.load(first);
  const os::Address behind = vm.place_call(inside(demo, 0));
  refresh_at(nanoseconds(100));
  vm.memory.forget(behind - 7, 7);
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(100))), "no_call");
  vm.place_call(behind);
  vm.memory.put(behind - 7, std::uint16_t{0x9090});
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(100))), "demo:a/0");
  const auto reads = vm.memory.reads();
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(100))), "demo:a/0");
  EXPECT_EQ(vm.memory.reads(), reads);
}

TEST_P(JitCodeIndexTest, proofs_do_not_outlive_their_module) {
  const auto demo = vm.load(first);
  const os::Address behind = vm.place_call(inside(demo, 0));
  refresh_at(nanoseconds(100));
  ASSERT_EQ(text(code.caller_at(behind, nanoseconds(100))), "demo:a/0");
  vm.purge(demo);
  vm.load({.name = "demo", .functions = {{"a", 0}, {"b", 1}}, .version = 'b'}, demo.begin);
  refresh_at(nanoseconds(300));
  EXPECT_EQ(text(code.caller_at(behind, nanoseconds(300))), "no_call");
}

class InterpretedCodeIndexTest : public CodeIndexTest {};
INSTANTIATE_TEST_SUITE_P(Releases, InterpretedCodeIndexTest, tests::each_interpreter,
                         tests::release_name);

TEST_P(InterpretedCodeIndexTest, a_return_address_is_any_place_in_a_function) {
  const auto demo = vm.load(first);
  const os::Address inside_a = inside(demo, 0), begin_of_b = vm.function_start(demo, 1);
  refresh_at(nanoseconds(100));
  EXPECT_EQ(text(code.caller_at(inside_a, nanoseconds(100))), "demo:a/0");
  EXPECT_EQ(text(code.caller_at(begin_of_b, nanoseconds(100))), "demo:a/0") << "behind its end";
  EXPECT_EQ(text(code.caller_at(inside_a, nanoseconds(99))), "changed");
  EXPECT_EQ(text(code.caller_at(0x1234, nanoseconds(100))), "not_code");
  EXPECT_FALSE(code.called_shared_code(inside_a));
}

}  // namespace
}  // namespace beam_exporter::beam
