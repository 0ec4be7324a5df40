#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::tests {

// A process that a test has forked. The destructor kills and reaps it. read_line() returns what it
// writes to standard output, so the test can wait for it. Make it while the test has one thread.
class ChildProcess {
 public:
  // Runs `body` in the child; its result is the exit code.
  static ChildProcess forked(const std::function<int()>& body);
  // Executes `program`; the exit code is 127 when that fails.
  static ChildProcess executed(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments = {});

  ChildProcess(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The next line that the child writes, without the newline; empty when the output has ended.
  std::string read_line();
  // Wakes the child that waits in await_word().
  void say_word();
  // Its exit code, or -1 when a signal ended it.
  int join();
  // Kills it; it stays a zombie until join().
  void kill_without_reaping() const;

 private:
  ChildProcess(pid_t pid, int output, int input) : pid_(pid), output_(output), input_(input) {}

  pid_t pid_;
  os::UniqueFd output_, input_;
};

// In the child: waits for the parent's say_word(), or for its end.
void await_word();

}  // namespace beam_exporter::tests
