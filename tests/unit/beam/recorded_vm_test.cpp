// Real VMs of five releases, recorded: everything the readers say of them against what they said
// of themselves, without Erlang on the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "beam/layout_check.h"
#include "beam/part_checks.h"
#include "fakes/fake_vm.h"
#include "fakes/recording.h"
#include "fakes/vm_account.h"
#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

bool interprets(const std::string& release) { return release.find('-') != std::string::npos; }

class RecordedVmTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto attached = attach(recording.description());
    ASSERT_TRUE(attached) << attached.error().text;
    vm = std::move(*attached);
  }
  os::Result<std::unique_ptr<VirtualMachine>> attach(VirtualMachine::Description description) {
    const auto process = os::Process::open(::getpid());
    if (!process) return process.error();
    return VirtualMachine::attach(*process, recording.memory, std::move(description),
                                  [] { return std::chrono::nanoseconds(0); });
  }

  tests::Recording recording{"otp-" + GetParam()};
  std::unique_ptr<VirtualMachine> vm;
};
INSTANTIATE_TEST_SUITE_P(Releases, RecordedVmTest, tests::each_recording, tests::release_name);

TEST_P(RecordedVmTest, says_which_release_it_is) {
  const bool emu = interprets(GetParam());
  EXPECT_EQ(vm->release(),
            (Release{GetParam().substr(0, 2), recording.release.erts_version, emu ? "emu" : "jit",
                     "x86_64", GetParam().ends_with("disable-jit") ? "disable-jit" : "opt"}));
  EXPECT_EQ(vm->interpreter() != nullptr, emu);
}

TEST_P(RecordedVmTest, passes_every_check) {
  for (const auto& result : check_layout(*vm))
    EXPECT_TRUE(result.ok) << result.name << ": " << result.detail;
}

TEST_P(RecordedVmTest, proves_each_part) {
  const auto parts = check_parts(*vm);
  EXPECT_EQ(parts.size(), 5U);
  for (const auto& result : parts) EXPECT_TRUE(result.ok) << result.name << ": " << result.detail;
}

// OTP 24 and 25 moved members between their patch releases that no check at attach reads.
TEST_P(RecordedVmTest, the_parts_that_another_patch_release_moved_are_refused_and_no_others) {
  using Names = std::set<std::string>;
  const std::map<std::string, Names> moved = {
      {"12.3.2.2", {"ets_tables"}},
      {"13.0.4", {"io", "reductions", "ets_tables", "allocators"}},
      {"13.1", {"io", "reductions", "ets_tables", "allocators"}},
      {"13.1.2", {"io", "reductions", "ets_tables"}},
  };
  std::size_t others = 0;
  for (auto& [version, layout] : tests::shipped_layouts(GetParam())) {
    if (version == vm->layout().erts_version) continue;
    ++others;
    auto description = recording.description();
    description.layout = std::move(layout);
    const auto attached = attach(std::move(description));
    ASSERT_TRUE(attached) << version << ": " << attached.error().text;
    EXPECT_TRUE(all_ok(check_layout(**attached))) << version;
    Names refused;
    for (const auto& result : check_parts(**attached))
      if (!result.ok) refused.insert(result.name);
    EXPECT_EQ(refused, moved.at(version)) << version;
  }
  EXPECT_EQ(others, GetParam() == "25" ? 3U : GetParam() == "24" ? 1U : 0U);
}

TEST_P(RecordedVmTest, every_function_of_every_module) {
  std::map<std::string, std::set<std::string>> ours;
  for (const auto* module : tests::modules_of(*vm))
    ours[tests::module_name(*vm, *module)] = tests::functions_of(*vm, *module);
  EXPECT_EQ(ours, tests::told_functions(recording.account.at("functions")));
  EXPECT_GT(ours.size(), 60U);
}

TEST_P(RecordedVmTest, processes_and_their_registered_names) {
  std::set<tests::Pid> ours;
  std::map<tests::Pid, std::string> names;
  for (const auto& process : tests::processes_of(*vm)) {
    const auto pid = tests::pid_of(*vm, process.id);
    ours.insert(pid);
    if (const auto name = tests::registered_name(*vm, process); !name.empty()) names[pid] = name;
  }
  EXPECT_EQ(ours, tests::told_processes(recording.account.at("processes")));
  EXPECT_EQ(names, tests::told_names(recording.account.at("registered")));
}

TEST_P(RecordedVmTest, stacks_down_to_the_line) {
  std::map<tests::Pid, std::vector<std::string>> ours;
  for (const auto& process : tests::processes_of(*vm))
    ours[tests::pid_of(*vm, process.id)] = tests::frames_of(*vm, process);
  const auto theirs = tests::told_stacks(recording.account.at("stacks"));
  EXPECT_GT(theirs.size(), 20U);
  for (const auto& [pid, frames] : theirs) EXPECT_EQ(ours[pid], frames) << pid.number;
}

TEST_P(RecordedVmTest, the_layouts_of_other_releases_are_refused) {
  for (const std::string other :
       {"23-emu", "24", "24-emu", "25", "25-emu", "26", "26-emu", "27", "27-emu", "28", "28-emu",
        "29", "29-emu", "25-disable-jit", "26-disable-jit", "27-disable-jit", "28-disable-jit",
        "29-disable-jit"}) {
    // An executable tells its flavor; the structs of 25 that are read are the same in both. Process
    // has a member more in an interpreter that was built beside the JIT.
    const bool same_release = other.substr(0, 2) == GetParam().substr(0, 2);
    if (same_release && (other == GetParam() || !interprets(other) || !interprets(GetParam())))
      continue;
    // They differ in the size of Process only, after all members that are read.
    if (other.starts_with("28") && GetParam().starts_with("29")) continue;
    auto description = recording.description();
    description.layout = tests::shipped_layout(other);
    const auto attached = attach(std::move(description));
    EXPECT_TRUE(!attached || !all_ok(check_layout(**attached))) << other;
  }
}

}  // namespace
}  // namespace beam_exporter::beam
