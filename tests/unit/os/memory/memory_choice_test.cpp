#include "os/memory/memory_choice.h"

#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "fakes/refused_call.h"
#include "harness/child_process.h"
#include "os/memory/process_memory.h"

namespace beam_exporter::os {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using tests::ChildProcess;

constexpr uid_t owner = 65534, stranger = 65533;
constexpr std::uint64_t secret = 0x1122334455667788;
volatile std::uint64_t word = 0;

bool become(uid_t user) {
  // Giving up root makes a process not dumpable; what is executed later would be again.
  return setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0 &&
         prctl(PR_SET_DUMPABLE, 1) == 0;
}

ChildProcess target(uid_t user, bool dumpable = true) {
  auto child = ChildProcess::forked([=] {
    word = secret;
    if (!become(user)) return 1;
    if (!dumpable) prctl(PR_SET_DUMPABLE, 0);
    if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;
    tests::await_word();
    return 0;
  });
  child.read_line();
  return child;
}

// "complaint" or "!error", as somebody finds it who is `user` and may not call `refused`; "torn"
// when the memory is not what it should be.
std::string found_by(uid_t user, pid_t pid, int refused = -1, int not_bounding = -1) {
  auto reader = ChildProcess::forked([&] {
    if (not_bounding >= 0 && prctl(PR_CAPBSET_DROP, not_bounding) != 0) return 1;
    if (!become(user) || (refused >= 0 && !tests::refuse_call(static_cast<unsigned>(refused))))
      return 1;
    const auto process = Process::open(pid);
    if (!process) return 1;
    const auto chosen = open_process_memory(*process);
    const auto read =
        chosen ? chosen->memory->value<std::uint64_t>(reinterpret_cast<Address>(&word)) : secret;
    std::cout << (!chosen          ? "!" + chosen.error().text
                  : read == secret ? chosen->complaint
                                   : "torn")
              << std::endl;
    return 0;
  });
  const std::string line = reader.read_line();
  EXPECT_EQ(reader.join(), 0);
  return line;
}

class MemoryChoice : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root, to become two other users";
    std::fflush(stdout);  // or a child might say what waits there
  }
};

TEST_F(MemoryChoice, is_the_call_for_who_may) {
  const auto child = target(owner);
  EXPECT_EQ(found_by(0, child.pid()), "");
  EXPECT_EQ(found_by(owner, child.pid()), "");
}

TEST_F(MemoryChoice, is_the_file_where_the_call_is_refused) {
  const auto child = target(owner);
  for (const uid_t user : {uid_t{0}, owner})
    EXPECT_EQ(found_by(user, child.pid(), SYS_process_vm_readv),
              "a seccomp filter refuses process_vm_readv");
}

TEST_F(MemoryChoice, names_why_there_is_none) {
  const auto child = target(owner);
  for (const int refused : {-1, SYS_process_vm_readv})
    EXPECT_THAT(found_by(stranger, child.pid(), refused),
                StartsWith("!no permission to read its memory: it runs as user 65534, group 65534, "
                           "the exporter as user 65533, group 65533: run as the VM's user"));
  // As a container has it that was given CAP_SYS_PTRACE and is not root's.
  EXPECT_THAT(found_by(stranger, child.pid(), -1, CAP_SYS_ADMIN),
              HasSubstr("or run as root (the CAP_SYS_PTRACE that this container was given has no "
                        "effect for user 65533)"));
  const auto hidden = target(owner, false);
  EXPECT_THAT(found_by(owner, hidden.pid()),
              AllOf(HasSubstr("!no permission"), HasSubstr("not dumpable")));
  EXPECT_EQ(found_by(0, hidden.pid()), "") << "root may";
}

TEST_F(MemoryChoice, of_a_process_that_has_ended_is_none) {
  auto child = target(owner);
  const auto process = Process::open(child.pid());
  ASSERT_TRUE(process);
  for (const bool reaped : {false, true}) {
    if (reaped)
      child.join();
    else
      child.kill_without_reaping();
    const auto chosen = open_process_memory(*process);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().kind, ErrorKind::unreadable) << chosen.error().text;
  }
}

}  // namespace
}  // namespace beam_exporter::os
