#include "attribution/erlang_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_vm.h"

namespace beam_exporter::attribution {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr os::Address nowhere = 0x400000;  // in no module: a shared fragment, or the emulator

class ErlangFunctionsTest : public testing::Test {
 protected:
  void SetUp() override {
    work_ = vm_.load({"work", {{"run", 1}, {"loop", 2}, {"leaf", 0}}});
    process_ = vm_.spawn("work", "run", 1);
    auto attached = vm_.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
    ASSERT_EQ(attached_->code_place().ranges, vm_.code_place().ranges);
    vm_.now = 5000ns;
  }

  beam::CodeIndex& code() { return attached_->code(); }
  beam::Mfa mfa(std::string_view name, std::uint32_t arity) {
    return {vm_.atom("work"), vm_.atom(name), arity};
  }
  os::Address inside(std::size_t function) const {
    return vm_.function_start(work_, function) + vm_.layout.code_info.size + 8;
  }
  // A return address that stands behind a call in that function; `which` tells several apart.
  os::Address return_into(std::size_t function, std::size_t which = 0) {
    return vm_.place_call(inside(function) + 8 + 8 * which);
  }

  // Of a process that runs at `instruction`, with these words on its stack.
  sampling::ObservedThread sample(std::optional<os::Address> instruction,
                                  std::vector<std::uint64_t> words = {}) {
    sampling::ObservedThread out;
    out.time = vm_.now;
    out.process = beam::read_process(vm_.layout, vm_.memory, process_);
    EXPECT_TRUE(out.process);
    out.top.instruction = instruction;
    out.top_begin = 0x7f0000100000;
    out.top_words = std::move(words);
    return out;
  }
  ErlangFunctions functions(const sampling::ObservedThread& sample) {
    EXPECT_TRUE(code().refresh());
    return erlang_functions(sample, code());
  }

  tests::FakeVm vm_{tests::shipped_layout("25")};
  std::unique_ptr<beam::VirtualMachine> attached_;
  os::AddressRange work_;
  os::Address process_ = 0;
};

TEST_F(ErlangFunctionsTest, self_is_the_running_function_and_inclusive_the_whole_stack) {
  const auto found =
      functions(sample(inside(2), {vm_.atom("term"), return_into(1), 15, return_into(0), nowhere}));
  EXPECT_EQ(found.self, mfa("leaf", 0));
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("leaf", 0), mfa("loop", 2), mfa("run", 1)));
  EXPECT_EQ(found.unattributed, std::nullopt);
  EXPECT_FALSE(found.truncated);
}

TEST_F(ErlangFunctionsTest, recursion_counts_once) {
  std::vector<std::uint64_t> words;
  for (int depth = 0; depth < 500; ++depth) {
    words.push_back(return_into(1));
    if (depth % 2 == 0) words.push_back(return_into(1, 1));
    if (depth % 3 == 0) words.push_back(return_into(0));
  }
  const auto found = functions(sample(inside(1), words));
  EXPECT_EQ(found.self, mfa("loop", 2));
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("loop", 2), mfa("run", 1)));
}

TEST_F(ErlangFunctionsTest, c_code_belongs_to_the_function_that_called_it) {
  auto seen = sample(std::nullopt, {return_into(0)});
  seen.top.return_to = return_into(2);
  const auto found = functions(seen);
  EXPECT_EQ(found.self, mfa("leaf", 0));
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("leaf", 0), mfa("run", 1)));
}

TEST_F(ErlangFunctionsTest, a_shared_fragment_belongs_to_the_newest_frame) {
  const auto found = functions(sample(nowhere, {return_into(1), return_into(0)}));
  EXPECT_EQ(found.self, mfa("loop", 2));
}

// Jumped to by `leaf` (2), which yields: on top of the stack is its caller.
TEST_F(ErlangFunctionsTest, a_fragment_that_was_jumped_to_belongs_to_who_yields) {
  auto seen = sample(nowhere, {return_into(1), return_into(0)});
  seen.process->i = inside(2);
  seen.process->current = vm_.function_start(work_, 2) + vm_.layout.code_info.size - 24;
  const auto found = functions(seen);
  EXPECT_EQ(found.self, mfa("leaf", 0));
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("leaf", 0), mfa("loop", 2), mfa("run", 1)));
  // It last yielded there, and has been elsewhere since.
  seen.process->current = vm_.function_start(work_, 1) + vm_.layout.code_info.size - 24;
  EXPECT_EQ(functions(seen).self, mfa("loop", 2));
}

TEST_F(ErlangFunctionsTest, a_fragment_that_was_called_belongs_to_its_caller) {
  for (const bool by_a_jump_of_the_module : {false, true}) {
    const os::Address return_address = return_into(1, by_a_jump_of_the_module ? 1 : 0);
    const os::Address jump = inside(0) + 40;
    vm_.memory.put(jump, std::uint8_t{0xe9});
    vm_.memory.put(jump + 1, static_cast<std::int32_t>(work_.end + 4096 - (jump + 5)));
    const os::Address target = by_a_jump_of_the_module ? jump : work_.end + 4096;
    vm_.memory.put(return_address - 4, static_cast<std::int32_t>(target - return_address));
    auto seen = sample(nowhere, {return_address, return_into(0)});
    seen.process->i = inside(2);  // where it yielded last
    seen.process->current = vm_.function_start(work_, 2) + vm_.layout.code_info.size - 24;
    EXPECT_EQ(functions(seen).self, mfa("loop", 2)) << by_a_jump_of_the_module;
  }
}

TEST_F(ErlangFunctionsTest, a_word_that_no_call_left_there_is_no_frame) {
  const auto found = functions(sample(inside(2), {inside(1) + 24, return_into(0)}));
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("leaf", 0), mfa("run", 1)));
}

TEST_F(ErlangFunctionsTest, nothing_known_is_no_function) {
  for (const auto& seen :
       {sample(nowhere), sample(std::nullopt), sample(nowhere, {8, 15, 0x1000})}) {
    const auto found = functions(seen);
    EXPECT_EQ(found.self, std::nullopt);
    EXPECT_THAT(found.inclusive, IsEmpty());
    EXPECT_EQ(found.unattributed, Unattributed::no_function);
  }
}

TEST_F(ErlangFunctionsTest, a_process_that_made_no_sense_is_told_apart) {
  sampling::ObservedThread seen;
  seen.time = vm_.now;
  seen.process_unreadable = true;
  const auto found = functions(seen);
  EXPECT_EQ(found.unattributed, Unattributed::process_unreadable);
  // The running instruction is certain even then.
  seen.top.instruction = inside(2);
  EXPECT_EQ(functions(seen).self, mfa("leaf", 0));
  EXPECT_EQ(functions(seen).unattributed, std::nullopt);
}

TEST_F(ErlangFunctionsTest, code_loaded_after_the_sample_lends_no_name_nor_does_its_caller) {
  auto seen = sample(std::nullopt, {return_into(0)});
  vm_.now += 10ns;
  const auto fresh = vm_.load({"fresh", {{"f", 0}}});
  seen.top.instruction = vm_.function_start(fresh, 0) + vm_.layout.code_info.size;
  const auto found = functions(seen);
  EXPECT_EQ(found.self, std::nullopt);
  EXPECT_THAT(found.inclusive, IsEmpty());
  EXPECT_EQ(found.unattributed, Unattributed::code_changed);
  // The same place sampled later has its name.
  seen.time = vm_.now;
  EXPECT_EQ(functions(seen).self, (beam::Mfa{vm_.atom("fresh"), vm_.atom("f"), 0}));
}

TEST_F(ErlangFunctionsTest, purged_code_lends_no_name) {
  const auto seen = sample(inside(2));
  vm_.purge(work_);
  const auto found = functions(seen);
  EXPECT_EQ(found.self, std::nullopt);
  EXPECT_EQ(found.unattributed, Unattributed::no_function);
}

TEST_F(ErlangFunctionsTest, a_module_that_cannot_be_read_lends_no_name_nor_does_its_caller) {
  const auto odd = vm_.load({"odd", {{"f", 0}}});
  vm_.memory.put(odd.begin, vm_.layout.code_header.num_functions, 1'000'000);
  ASSERT_TRUE(code().refresh());
  vm_.now += 10ns;
  const auto found =
      functions(sample(vm_.function_start(odd, 0) + vm_.layout.code_info.size, {return_into(0)}));
  EXPECT_EQ(found.self, std::nullopt);
  EXPECT_THAT(found.inclusive, IsEmpty());
  EXPECT_EQ(found.unattributed, Unattributed::undecoded_module);
}

TEST_F(ErlangFunctionsTest, tells_that_the_middle_of_a_deep_stack_was_not_looked_at) {
  auto seen = sample(inside(2), {return_into(1)});
  seen.bottom_words = {return_into(0)};
  seen.bottom_begin = seen.top_begin + 8;
  EXPECT_FALSE(functions(seen).truncated);
  seen.bottom_begin += 8;
  const auto found = functions(seen);
  EXPECT_TRUE(found.truncated);
  EXPECT_THAT(found.inclusive, UnorderedElementsAre(mfa("leaf", 0), mfa("loop", 2), mfa("run", 1)));
}

}  // namespace
}  // namespace beam_exporter::attribution
