#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::tests {

// A process forked by a test, killed and reaped with this object at the latest. What it writes to
// its standard output comes back through read_line(): that is the handshake. Made while the test
// has one thread.
class ChildProcess {
 public:
  // Runs `body` in the child and ends with what it returns.
  static ChildProcess forked(const std::function<int()>& body);
  // Executes `program`; exit code 127 when that cannot be done.
  static ChildProcess executed(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments = {});

  ChildProcess(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The next line the child writes, without its end; empty when there will be none.
  std::string read_line();
  // Lets the child go on that waits in await_word() for us.
  void say_word();
  // Its exit code, or -1 when a signal ended it.
  int join();
  // Ends it, and leaves a zombie until join().
  void kill_without_reaping() const;

 private:
  ChildProcess(pid_t pid, int output, int input) : pid_(pid), output_(output), input_(input) {}

  pid_t pid_;
  os::UniqueFd output_, input_;
};

// In the child: waits for the parent's say_word(), or for its end.
void await_word();

}  // namespace beam_exporter::tests
