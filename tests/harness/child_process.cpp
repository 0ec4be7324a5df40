#include "harness/child_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace beam_exporter::tests {

ChildProcess ChildProcess::forked(const std::function<int()>& body) {
  int output[2], input[2];
  if (pipe(output) != 0 || pipe(input) != 0) std::abort();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) std::abort();
  if (pid == 0) {
    // So that an aborted test leaves no children behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(output[1], STDOUT_FILENO);
    dup2(input[0], STDIN_FILENO);
    for (const int fd : {output[0], output[1], input[0], input[1]}) close(fd);
    _exit(body());
  }
  close(output[1]);
  close(input[0]);
  return {pid, output[0], input[1]};
}

ChildProcess ChildProcess::executed(const std::filesystem::path& program,
                                    const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return forked([&] {
    execvp(argv[0], argv.data());
    return 127;
  });
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      input_(std::move(other.input_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  join();
}

std::string ChildProcess::read_line() {
  std::string line;
  for (char c = 0; read(output_.get(), &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void ChildProcess::say_word() {
  if (write(input_.get(), "\n", 1) != 1) std::abort();
}

int ChildProcess::join() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void ChildProcess::kill_without_reaping() const {
  kill(pid_, SIGKILL);
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
}

void await_word() {
  char word = 0;
  if (read(STDIN_FILENO, &word, 1) < 0) _exit(1);
}

}  // namespace beam_exporter::tests
