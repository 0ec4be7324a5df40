#include "os/process/address_space.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/child_process.h"
#include "os/process/process.h"

namespace beam_exporter::os {
namespace {

using tests::await_word;
using tests::ChildProcess;

TEST(AddressSpace, stays_while_the_process_runs) {
  const AddressSpace own("/proc/self");
  EXPECT_FALSE(own.replaced());
  auto child = ChildProcess::forked([] {
    await_word();
    return 0;
  });
  const AddressSpace space("/proc/" + std::to_string(child.pid()));
  EXPECT_FALSE(space.replaced());
  child.kill_without_reaping();
  EXPECT_TRUE(space.replaced());
}

// The same pid, start time, executable and arguments.
TEST(AddressSpace, is_another_one_after_an_exec_of_the_same_program) {
  auto child = ChildProcess::executed(
      "/bin/sh", {"-c", "echo ready; read word; test -n \"$AGAIN\" || AGAIN=yes exec sh -c \"$0\"",
                  "echo ready; read word"});
  ASSERT_EQ(child.read_line(), "ready");
  const auto process = Process::open(child.pid());
  ASSERT_TRUE(process);
  const AddressSpace space(process->directory());
  EXPECT_FALSE(space.replaced());
  child.say_word();
  ASSERT_EQ(child.read_line(), "ready");
  EXPECT_TRUE(process->running());
  EXPECT_TRUE(space.replaced());
  EXPECT_FALSE(AddressSpace(process->directory()).replaced());
}

TEST(AddressSpace, what_could_not_be_opened_is_not_called_replaced) {
  EXPECT_FALSE(AddressSpace("/proc/0").replaced());
}

}  // namespace
}  // namespace beam_exporter::os
