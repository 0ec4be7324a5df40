// Functions, atoms and reloads of a real VM.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iomanip>
#include <map>
#include <sstream>

#include "fakes/vm_account.h"
#include "live/live_vm.h"

namespace beam_exporter::tests {
namespace {

using ::testing::Contains;

class LiveCode : public LiveVm {};
INSTANTIATE_TEST_SUITE_P(Releases, LiveCode, live_releases, live_release_name);

TEST_P(LiveCode, every_function_of_every_module_and_nothing_else) {
  const auto theirs = told_functions(target().ask("functions"));
  ASSERT_TRUE(vm().code().refresh());
  std::map<std::string, std::set<std::string>> ours;
  std::size_t functions = 0;
  for (const auto* module : modules_of(vm())) {
    ours[module_name(vm(), *module)] = functions_of(vm(), *module);
    functions += module->functions.size();
  }
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(vm().code().undecoded(), 0U);
  EXPECT_EQ(vm().code().functions(), functions);
  EXPECT_GT(functions, 3000U);
  std::cout << ours.size() << " modules, " << functions << " functions\n";
}

std::string hexadecimal(const std::string& text) {
  std::ostringstream digits;
  for (const char c : text)
    digits << std::hex << std::setw(2) << std::setfill('0')
           << static_cast<unsigned>(static_cast<unsigned char>(c));
  return digits.str();
}

TEST_P(LiveCode, every_atom_has_its_name) {
  const std::vector<std::string> wanted = {"größe", "日本語", "👩‍🚀", "plain"};
  std::string request = "atoms", longest;
  for (int k = 0; k < 255; ++k) longest += "é";
  for (const auto& name : wanted) request += " " + hexadecimal(name);
  const auto before = vm().atoms().count().value_or(0);
  const auto counted = target().ask(request + " " + hexadecimal(longest)).get<std::uint32_t>();
  EXPECT_EQ(vm().atoms().count(), counted);
  std::set<std::string> names;
  for (std::uint64_t index = 0; index < counted; ++index) {
    const auto name = vm().atoms().name(index << 6 | 0x0b);
    ASSERT_TRUE(name) << "atom " << index << " of " << counted << ", " << before << " before";
    names.insert(*name);
  }
  EXPECT_EQ(names.size(), counted) << "no name twice";
  for (const auto& name : wanted) EXPECT_THAT(names, Contains(name));
  EXPECT_THAT(names, Contains(longest));
}

// Twins: versions that differ in the names of their functions only. Loaded 1 to 4 at a time between
// two looks, they meet every way of reusing an address and a code index.
TEST_P(LiveCode, a_reloaded_module_is_named_right_or_not_at_all) {
  ASSERT_TRUE(vm().code().refresh());
  struct Old {
    os::AddressRange range;
    std::set<std::string> names;
    std::chrono::nanoseconds when;
  };
  std::vector<Old> olds;
  std::size_t reused = 0, changed = 0;
  int version = 100;
  for (int round = 0; round < 60; ++round) {
    std::string request = "load";
    for (int loads = 0; loads <= round % 4; ++loads) request += " " + std::to_string(version++);
    const auto account = told_functions(target().ask(request), "hot");
    // Twice, with a look between: a twin in place of its twin is noticed when it is looked up.
    ASSERT_TRUE(vm().code().refresh());
    modules_of(vm());
    ASSERT_TRUE(vm().code().refresh());
    bool current_is_there = false;
    std::vector<Old> now_there;
    for (const auto* module : modules_of(vm())) {
      if (module_name(vm(), *module) != "hot") continue;
      const auto names = functions_of(vm(), *module);
      current_is_there = current_is_there || names == account;
      now_there.push_back({module->range, names, now()});
    }
    EXPECT_TRUE(current_is_there) << "round " << round;
    EXPECT_LE(now_there.size(), 2U) << "the current one and at most one to be purged";
    // What was looked up before must be named as it was then, or not at all.
    for (const auto& old : olds) {
      const auto* there = vm().code().module_at(old.range.begin);
      if (there == nullptr) continue;
      const bool same = there->range == old.range && functions_of(vm(), *there) == old.names;
      if (!same && there->range.begin == old.range.begin) ++reused;
      for (const os::Address address : there->starts) {
        const auto answer = vm().code().function_at(address + 41, old.when);
        if (answer.miss == beam::CodeMiss::changed) ++changed;
        if (answer.mfa == nullptr || !old.range.contains(address)) continue;
        const auto name = full_name(vm(), *answer.mfa);
        EXPECT_TRUE(old.names.contains(name)) << name << " was not there before round " << round;
      }
    }
    olds.insert(olds.end(), now_there.begin(), now_there.end());
  }
  EXPECT_GT(reused, 0U) << "no address was ever reused: this test has seen nothing";
  EXPECT_GT(changed, 0U);
}

// Such a change leaves a half-made list of ranges behind until the next one.
TEST_P(LiveCode, a_change_of_code_given_up_does_not_hide_the_code) {
  target().ask("give_up");
  auto known = description();
  ASSERT_TRUE(known) << known.error().text;
  const auto attached = attach(std::move(*known));
  ASSERT_TRUE(attached) << attached.error().text;
  EXPECT_EQ((*attached)->code_place().ranges, vm().code_place().ranges);
}

TEST_P(LiveCode, a_refresh_without_a_change_is_cheap) {
  constexpr int times = 200;
  ASSERT_TRUE(vm().code().refresh());
  const auto generation = vm().code().generation();
  const auto begin = now();
  for (int k = 0; k < times; ++k) ASSERT_TRUE(vm().code().refresh());
  const auto each = std::chrono::duration<double, std::micro>(now() - begin) / times;
  std::cout << "refresh of " << vm().code().modules() << " modules: " << each.count() << " us\n";
  EXPECT_EQ(vm().code().generation(), generation);
}

}  // namespace
}  // namespace beam_exporter::tests
