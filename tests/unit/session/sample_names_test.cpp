#include "session/sample_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_vm.h"
#include "totals/totals.h"

namespace beam_exporter::session {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

std::unique_ptr<beam::VirtualMachine> attached(const tests::FakeVm& vm) {
  auto made = vm.attach();
  if (!made) ADD_FAILURE() << made.error().text;
  return std::move(*made);
}

attribution::Attribution in_function(beam::Mfa self, std::vector<beam::Mfa> inclusive = {}) {
  return {.state = attribution::State::emulator, .self = self, .inclusive = std::move(inclusive)};
}

std::string text(const totals::FunctionKey* key) {
  return key != nullptr ? key->module + ":" + key->function : "null";
}

class SampleNamesTest : public testing::Test {
 protected:
  beam::Mfa mfa(std::string_view module, std::string_view function, std::uint32_t arity) {
    return {vm_.atom(module), vm_.atom(function), arity};
  }
  const totals::SampleLabels& labels(const attribution::Attribution& meaning) {
    return names_.labels(sample_, meaning);
  }

  tests::FakeVm vm_{tests::shipped_layout("25")};
  const std::unique_ptr<beam::VirtualMachine> attached_ = attached(vm_);
  SampleNames names_{*attached_};
  sampling::RawSample sample_;
};

TEST_F(SampleNamesTest, functions_are_named_as_labels_want_them) {
  const auto leaf = mfa("lists", "leaf", 2), top = mfa("Elixir.My.App", "run!", 0);
  auto meaning = in_function(leaf, {leaf, top});
  meaning.bif = mfa("erlang", "md5", 1);
  meaning.nif = mfa("crypto", "hash", 2);
  const auto& named = labels(meaning);
  EXPECT_EQ(text(named.self), "lists:leaf/2");
  ASSERT_EQ(named.inclusive.size(), 2u);
  EXPECT_EQ(text(named.inclusive[0]), "lists:leaf/2");
  EXPECT_EQ(text(named.inclusive[1]), "My.App:run!/0");
  EXPECT_EQ(text(named.bif), "erlang:md5/1");
  EXPECT_EQ(text(named.nif), "crypto:hash/2");
  EXPECT_EQ(named.process, nullptr);
  EXPECT_EQ(text(names_.self(meaning)), "lists:leaf/2");
  // Nothing stays of the sample before.
  const auto& none = labels({});
  EXPECT_TRUE(none.self == nullptr && none.bif == nullptr && none.nif == nullptr);
  EXPECT_TRUE(none.inclusive.empty());
}

TEST_F(SampleNamesTest, a_known_function_costs_no_read) {
  const auto meaning = in_function(mfa("lists", "leaf", 2));
  (void)labels(meaning);
  const auto reads = vm_.memory.reads();
  EXPECT_EQ(text(labels(meaning).self), "lists:leaf/2");
  EXPECT_EQ(vm_.memory.reads(), reads);
}

TEST_F(SampleNamesTest, a_pseudo_function_stands_where_the_function_on_top_does) {
  auto serving = in_function(mfa("lists", "leaf", 2));
  serving.pseudo = attribution::PseudoFunction::signals;
  EXPECT_EQ(text(labels(serving).self), ":signals");
  EXPECT_EQ(text(names_.self(serving)), ":signals");
}

TEST_F(SampleNamesTest, what_cannot_be_read_has_no_name) {
  const auto unreadable = mfa("gone", "f", 0);
  vm_.memory.forget(vm_.atom_object(unreadable.module), 8);
  EXPECT_EQ(labels(in_function(unreadable, {unreadable})).self, nullptr);
  EXPECT_TRUE(labels(in_function(unreadable, {unreadable})).inclusive.empty());
  EXPECT_EQ(labels(in_function({0x1234567, 0, 0})).self, nullptr);
}

TEST_F(SampleNamesTest, a_process_is_named_for_its_own_work_only) {
  sample_.process = beam::read_process(vm_.layout, vm_.memory, vm_.spawn("shop", "worker", 2));
  ASSERT_TRUE(sample_.process);
  auto meaning = in_function(mfa("lists", "leaf", 2));
  EXPECT_EQ(labels(meaning).process, nullptr);
  meaning.for_process = true;
  ASSERT_NE(labels(meaning).process, nullptr);
  EXPECT_EQ(*labels(meaning).process, "shop:worker/2");
}

TEST_F(SampleNamesTest, the_next_vm_has_its_own_names_and_the_counters_go_on) {
  totals::Totals totals({});
  sample_.role = {beam::ThreadKind::normal, 1};
  sample_.cpu_time = std::chrono::milliseconds(10);
  const auto old = mfa("one", "f", 0);
  totals.add(sample_, in_function(old), labels(in_function(old)));
  totals.forget_vm();

  tests::FakeVm next(tests::shipped_layout("27"));
  ASSERT_EQ(next.atom("two"), old.module);  // the same term is another name there
  ASSERT_EQ(next.atom("g"), old.function);
  const auto next_attached = attached(next);
  SampleNames next_names(*next_attached);
  const beam::Mfa same_name{next.atom("one"), next.atom("f"), 0};
  for (const auto& function : {old, same_name}) {
    const auto meaning = in_function(function);
    totals.add(sample_, meaning, next_names.labels(sample_, meaning));
  }

  totals::Snapshot snapshot;
  totals.write(snapshot);
  std::map<std::string, double> seconds;
  for (const auto& time : snapshot.functions)
    seconds[time.module + ":" + time.function] = time.seconds;
  EXPECT_THAT(seconds,
              UnorderedElementsAre(Pair("one:f/0", testing::DoubleEq(0.02)),
                                   Pair("two:g/0", testing::DoubleEq(0.01)), Pair(":other", 0)));
  EXPECT_EQ(snapshot.samples.total, 3);
}

}  // namespace
}  // namespace beam_exporter::session
