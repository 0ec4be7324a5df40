#include "harness/beam_target.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace beam_exporter::tests {

namespace {

constexpr int longest_answer_ms = 60'000;
constexpr int skipped = 77;

// The output of the program and its exit.
struct Printed {
  std::string text;
  int status = 0;
};

Printed command_for(const std::string& otp_release, const std::string& program,
                    const std::vector<std::string>& flags) {
  std::string command = "cd '" SOURCE_DIR
                        "/tests' && exec /usr/bin/python3 -B -m harness.target_command '" +
                        otp_release + "' '" + program + "'";
  for (const auto& flag : flags) command += " '" + flag + "'";
  Printed printed;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 4096> part;
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe))
    printed.text.append(part.data(), got);
  const int status = ::pclose(pipe);
  printed.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (printed.text.ends_with('\n')) printed.text.pop_back();
  return printed;
}

}  // namespace

std::optional<std::string> BeamTarget::lack(const std::string& otp_release) {
  const auto printed = command_for(otp_release, "witness", {});
  if (printed.status == skipped) return printed.text;
  return std::nullopt;
}

BeamTarget::BeamTarget(const std::string& otp_release, const std::string& program,
                       const std::vector<std::string>& flags) {
  const auto printed = command_for(otp_release, program, flags);
  if (printed.status != 0) throw std::runtime_error("no command for a VM: " + printed.text);
  const auto words = nlohmann::json::parse(printed.text).get<std::vector<std::string>>();
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  std::array<int, 2> to{}, from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setsid();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(to[0], STDIN_FILENO);
    ::dup2(from[1], STDOUT_FILENO);
    ::dup2(from[1], STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  input_.reset(to[1]);
  output_.reset(from[0]);
  const auto ready = await("ready");
  // A root of another build of that release, as of the interpreter, has a longer name.
  if (ready.at("pid") != pid_ ||
      !otp_release.starts_with(ready.at("otp_release").get<std::string>()))
    throw std::runtime_error("another VM than the one wanted: " + ready.dump());
}

BeamTarget::~BeamTarget() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

nlohmann::json BeamTarget::ask(const std::string& request) {
  const std::string line = request + "\n";
  if (::write(input_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the VM takes no request");
  return await("reply");
}

nlohmann::json BeamTarget::await(const std::string& key) {
  for (;;) {
    const std::string line = read_line();
    const auto answer = nlohmann::json::parse(line, nullptr, false);
    if (!answer.is_object()) throw std::runtime_error("the VM says: " + line);
    if (answer.contains(key)) return answer.at(key);
  }
}

std::string BeamTarget::read_line() {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd readable{output_.get(), POLLIN, 0};
    std::array<char, 1 << 16> part;
    if (::poll(&readable, 1, longest_answer_ms) <= 0) throw std::runtime_error("no answer in time");
    const ssize_t got = ::read(output_.get(), part.data(), part.size());
    if (got <= 0) throw std::runtime_error("the VM has ended: " + unread_);
    unread_.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace beam_exporter::tests
