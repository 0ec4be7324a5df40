#include "beam/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "harness/child_process.h"
#include "harness/temporary_folder.h"

namespace beam_exporter::beam {
namespace {

namespace fs = std::filesystem;
using os::ErrorKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tests::ChildProcess;

// Other VMs may run on this machine: every choice here is by the name of a directory of our own,
// which the command lines of its programs begin with.
class FindTarget : public testing::Test {
 protected:
  ChildProcess run(const std::string& name, const std::vector<std::string>& arguments = {}) {
    const fs::path program = directory_ / name;
    fs::create_directories(program.parent_path());
    fs::copy_file(IDLE_PROGRAM, program, fs::copy_options::skip_existing);
    auto child = ChildProcess::executed(program, arguments);
    EXPECT_EQ(child.read_line(), "ready") << program;
    return child;
  }
  std::string ours() const { return directory_.filename(); }

  const tests::TemporaryFolder folder_;
  const fs::path directory_ = folder_.path();
};

std::string text(pid_t pid) { return std::to_string(pid); }

TEST_F(FindTarget, finds_the_only_one_that_matches) {
  const auto beam = run("beam.smp", {"-sname", "shop"});
  const auto other_program = run("sleeper", {"beam.smp"});
  const auto process = find_target({.match = ours()});
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->pid(), beam.pid());
}

TEST_F(FindTarget, other_flavors_of_the_emulator_are_vms_too) {
  const auto beam = run("beam.debug.smp");
  const auto process = find_target({.match = ours()});
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->pid(), beam.pid());
}

TEST_F(FindTarget, what_only_resembles_one_is_none) {
  const auto exporter = run("beam_exporter");
  const auto script = run("beam");
  const auto wrapped = run("xbeam.smp");
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::not_found);
}

TEST_F(FindTarget, several_are_named_with_the_ways_to_choose) {
  const auto one = run("beam.smp", {"-sname", "one"});
  const auto two = run("beam.smp", {"-sname", "two"});
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::ambiguous);
  EXPECT_THAT(process.error().text,
              AllOf(HasSubstr(text(one.pid()) + " ("), HasSubstr(text(two.pid()) + " ("),
                    HasSubstr("-sname two"), HasSubstr("--target.pid"), HasSubstr("--target.match"),
                    Not(HasSubstr("\n"))));
  const auto chosen = find_target({.match = ours() + ".*-sname two$"});
  ASSERT_TRUE(chosen) << chosen.error().text;
  EXPECT_EQ(chosen->pid(), two.pid());
}

TEST_F(FindTarget, a_long_command_line_does_not_fill_the_error) {
  const auto one = run("beam.smp", {std::string(5000, 'x')});
  const auto two = run("beam.smp", {std::string(5000, 'y')});
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_LT(process.error().text.size(), 500u);
}

// VMs of one release begin alike for hundreds of characters.
TEST_F(FindTarget, long_command_lines_are_shown_where_they_differ) {
  const std::vector<std::string> boot = {"-root", std::string(150, 'r'), "-pa",
                                         std::string(90, 'p')};
  const auto start = [&](std::vector<std::string> rest) {
    auto arguments = boot;
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return run("beam.smp", arguments);
  };
  const std::string same(200, 's');
  const auto shop = start({"-sname", "shop", same, "-extra", "one"});
  const auto bank = start({"-name", "bank@example", same, "-extra", "one"});
  const auto unnamed = start({same, "-config", "east", "-extra", "tail"});
  const auto other = start({same, "-config", "west", "-extra", "tail"});
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  const auto& error = process.error().text;
  const auto shown = [&](const ChildProcess& vm) {
    const auto at = error.find(" " + text(vm.pid()) + " (");
    return at == std::string::npos ? "" : error.substr(at, error.find(')', at) - at);
  };
  EXPECT_THAT(shown(shop), HasSubstr("-sname shop"));
  EXPECT_THAT(shown(bank), HasSubstr("-name bank@example"));
  EXPECT_THAT(shown(unnamed), HasSubstr("... east -extra tail"));
  EXPECT_THAT(shown(other), HasSubstr("... west -extra tail"));
  EXPECT_THAT(error, Not(HasSubstr(std::string(120, 'r'))));
  EXPECT_LT(error.size(), 1200u);
}

TEST_F(FindTarget, a_difference_in_the_midst_of_a_long_word_is_shown) {
  const auto one = run("beam.smp", {std::string(3000, 'x') + "1"});
  const auto two = run("beam.smp", {std::string(3000, 'x') + "2", "-sname", "late"});
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().text, AllOf(HasSubstr("xxx1)"), HasSubstr("xxx2 -sname late)")));
}

TEST_F(FindTarget, equal_command_lines_are_shown_from_their_beginning) {
  const auto one = run("beam.smp", {std::string(300, 'x')});
  const auto two = run("beam.smp", {std::string(300, 'x')});
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_THAT(process.error().text, HasSubstr(text(one.pid()) + " (" + directory_.string()));
}

// A matcher that recurses or backtracks would end our stack or our day.
TEST_F(FindTarget, survives_a_huge_command_line) {
  std::vector<std::string> arguments;
  for (int k = 0; k < 1000; ++k) arguments.push_back("-pa /a/long/path/number/" + text(k));
  const auto beam = run("beam.smp", arguments);
  for (const std::string& match : {ours() + ".*", ours() + "(a|.)*", ours() + "[^q]*number/7",
                                   ours() + "(.*)*number", ours() + "((a*)*)*"}) {
    const auto process = find_target({.match = match});
    ASSERT_TRUE(process) << process.error().text;
    EXPECT_EQ(process->pid(), beam.pid());
  }
}

TEST_F(FindTarget, refuses_what_is_no_regular_expression) {
  for (const char* match : {"(", "*", "[z-a]", "(a)\\1"}) {
    const auto process = find_target({.match = match});
    ASSERT_FALSE(process) << match;
    EXPECT_EQ(process.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(process.error().text, HasSubstr(std::string("'") + match + "'"));
  }
}

TEST_F(FindTarget, nothing_matches_names_the_expression) {
  const auto beam = run("beam.smp");
  const auto process = find_target({.match = ours() + " no such argument"});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::not_found);
  EXPECT_THAT(process.error().text, HasSubstr("'" + ours() + " no such argument'"));
}

TEST_F(FindTarget, an_upgrade_that_replaced_the_file_hides_nobody) {
  const auto beam = run("beam.smp");
  fs::remove(directory_ / "beam.smp");
  const auto process = find_target({.match = ours()});
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->pid(), beam.pid());
}

TEST_F(FindTarget, one_that_has_ended_is_none_even_before_it_is_reaped) {
  const auto beam = run("beam.smp");
  beam.kill_without_reaping();
  const auto process = find_target({.match = ours()});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind, ErrorKind::not_found);
}

// Another user's processes keep their executable from us; what they were called as is public.
TEST_F(FindTarget, finds_the_vm_of_another_user_by_its_command_line) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to have two users";
  fs::permissions(directory_, fs::perms::all);
  const auto beam = run("beam.smp");
  auto searcher = ChildProcess::forked([&] {
    if (setgid(65534) != 0 || setuid(65534) != 0) return 2;
    const auto process = find_target({.match = ours()});
    return process && process->pid() == beam.pid() && process->executable_path().empty() ? 0 : 1;
  });
  EXPECT_EQ(searcher.join(), 0);
}

TEST_F(FindTarget, a_pid_is_taken_at_its_word) {
  const auto one = run("beam.smp");
  const auto two = run("beam.smp");
  const auto process = find_target({.pid = two.pid(), .match = "ignored"});
  ASSERT_TRUE(process) << process.error().text;
  EXPECT_EQ(process->pid(), two.pid());
  const auto none = find_target({.pid = 0x7fffffff});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_THAT(none.error().text, HasSubstr("2147483647"));
}

}  // namespace
}  // namespace beam_exporter::beam
