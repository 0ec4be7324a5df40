// Processes of a real VM: which there are, their names, their stacks down to the line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fakes/vm_account.h"
#include "live/live_vm.h"

namespace beam_exporter::tests {
namespace {

class LiveProcesses : public LiveVm {};
INSTANTIATE_TEST_SUITE_P(Releases, LiveProcesses, live_releases, live_release_name);

TEST_P(LiveProcesses, all_of_them_by_id) {
  const auto theirs = told_processes(target().ask("processes"));
  std::set<Pid> ours;
  for (const auto& process : processes_of(vm())) ours.insert(pid_of(vm(), process.id));
  EXPECT_EQ(ours, theirs);
}

TEST_P(LiveProcesses, registered_names) {
  const auto theirs = told_names(target().ask("registered"));
  std::map<Pid, std::string> ours;
  for (const auto& process : processes_of(vm()))
    if (const auto name = registered_name(vm(), process); !name.empty())
      ours[pid_of(vm(), process.id)] = name;
  EXPECT_EQ(ours, theirs);
  EXPECT_TRUE(std::ranges::any_of(ours, [](auto& each) { return each.second == "witness_größe"; }));
}

TEST_P(LiveProcesses, stacks_of_waiting_processes_down_to_the_line) {
  // Asked twice: whatever moved in between is left out.
  const auto before = told_stacks(target().ask("stacks"));
  ASSERT_TRUE(vm().code().refresh());
  std::map<Pid, std::vector<std::string>> ours;
  for (const auto& process : processes_of(vm()))
    ours[pid_of(vm(), process.id)] = frames_of(vm(), process);
  const auto after = told_stacks(target().ask("stacks"));
  std::size_t compared = 0;
  bool known_shape = false;
  for (const auto& [pid, theirs] : before) {
    const auto still = after.find(pid);
    if (still == after.end() || still->second != theirs) continue;
    known_shape = known_shape || (theirs.size() == 7 && theirs[0].starts_with("witness:wait/2"));
    EXPECT_EQ(ours[pid], theirs);
    ++compared;
  }
  EXPECT_TRUE(known_shape);
  EXPECT_GT(compared, 20U);
}

}  // namespace
}  // namespace beam_exporter::tests
