#include "beam/target.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "os/monotonic_clock.h"
#include "text/pattern.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t shown_command_characters = 100, shown_name_characters = 60,
                      shown_before_difference = 30;
// A bound for the work of one search: a command line may have 2 MiB.
constexpr std::size_t matched_command_characters = std::size_t{16} * 1024;

bool is_beam(const os::Process& process) {
  // "beam.smp", or "beam.smp (deleted)" when the package was upgraded while the VM runs. We may not
  // read the path of another user's process; but its command line is public, and begins with the
  // executable.
  std::string name = std::filesystem::path(process.executable_path()).filename().string();
  if (name.empty()) {
    const std::string command = process.command_line();
    name = std::filesystem::path(command.substr(0, command.find(' '))).filename().string();
  }
  return name.starts_with("beam.");
}

// "-sname shop", by which people know the VM; empty when the command line has no name.
std::string node_name(const std::string& command) {
  for (const std::string flag : {" -sname ", " -name "}) {
    const auto at = command.find(flag);
    if (at == std::string::npos) continue;
    return command.substr(at + 1, command.find(' ', at + flag.size()) - at - 1);
  }
  return "";
}

// Where this command line begins to differ from the most similar one. Moved to the begin of a word,
// if one is near.
std::size_t differs_at(const std::string& command, const std::vector<std::string>& all) {
  std::size_t furthest = 0;
  for (const auto& other : all) {
    const auto at = std::ranges::mismatch(command, other).in1 - command.begin();
    if (other != command) furthest = std::max(furthest, static_cast<std::size_t>(at));
  }
  const auto space = command.rfind(' ', furthest);
  if (space != std::string::npos && furthest - space < shown_before_difference) return space + 1;
  return furthest - std::min(furthest, shown_before_difference);
}

// VMs of one release have long command lines with the same beginning: show the part that differs.
std::string distinguishing_part(const std::string& command, const std::vector<std::string>& all) {
  if (command.size() <= shown_command_characters) return command;
  const std::string name = node_name(command).substr(0, shown_name_characters);
  const std::size_t at = differs_at(command, all);
  std::string part = at == 0 ? "" : "... ";
  part += command.substr(at, shown_command_characters);
  if (at + shown_command_characters < command.size()) part += " ...";
  return name.empty() || part.find(name) != std::string::npos ? part : name + " " + part;
}

os::Error choose(const std::vector<os::Process>& found) {
  std::string text =
      "several Erlang VMs are visible, choose one with --target.pid or --target.match:";
  std::vector<std::string> commands;
  commands.reserve(found.size());
  for (const auto& process : found)
    commands.push_back(process.command_line().substr(0, matched_command_characters));
  for (std::size_t k = 0; k < found.size(); ++k)
    text += " " + std::to_string(found[k].pid()) + " (" +
            distinguishing_part(commands[k], commands) + ")";
  return {os::ErrorKind::ambiguous, text};
}

constexpr auto patience = std::chrono::seconds(5);
constexpr std::int64_t young_seconds = 20;

bool is_young(const os::Process& process) {
  timespec now{};
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  // /proc/PID/stat gives the start in ticks of this clock (proc_pid_stat(5)).
  if (ticks_per_second <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return false;
  const auto started =
      process.identity().start_ticks / static_cast<std::uint64_t>(ticks_per_second);
  return now.tv_sec - static_cast<std::int64_t>(started) < young_seconds;
}

}  // namespace

os::Result<os::Process> find_target(const TargetChoice& choice) {
  if (choice.pid != 0) return os::Process::open(choice.pid);
  const text::Pattern match(choice.match);
  if (const auto problem = match.problem(); !problem.empty())
    return os::Error{os::ErrorKind::invalid_argument,
                     "'" + choice.match + "' is not a regular expression: " + problem};
  std::vector<os::Process> found;
  for (const pid_t pid : os::visible_processes()) {
    auto process = os::Process::open(pid);
    if (process && is_beam(*process) &&
        match.found_in(process->command_line().substr(0, matched_command_characters)))
      found.push_back(*process);
  }
  if (found.size() > 1) return choose(found);
  if (found.size() == 1) return found.front();
  return os::Error{os::ErrorKind::not_found,
                   choice.match.empty() ? "no Erlang VM (beam.smp) is visible"
                                        : "no visible Erlang VM has a command line that matches '" +
                                              choice.match + "'"};
}

bool may_be_starting(const os::Process& process, os::ErrorKind failure,
                     std::chrono::nanoseconds first_try) {
  const bool patient = os::monotonic_now() - first_try < patience;
  switch (failure) {
    case os::ErrorKind::malformed:
      return patient || is_young(process);
    case os::ErrorKind::unreadable:
      return patient;
    case os::ErrorKind::not_found:
      return patient && is_young(process);
    default:
      return false;
  }
}

}  // namespace beam_exporter::beam
