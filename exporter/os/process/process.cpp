#include "os/process/process.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "os/process/process_stat.h"

namespace beam_exporter::os {

namespace {

std::filesystem::path directory_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

// What one look at /proc/PID tells. If we lack descriptors or memory ourselves, it tells nothing:
// that does not mean that the process has ended.
struct Look {
  bool told = false;
  std::optional<ProcessIdentity>
      identity;  // empty although `told`: the process has ended, or never existed
};

bool is_absence(int error) { return error == ENOENT || error == ESRCH; }

// The first bytes of a file; of "stat" they hold all that matters. nullopt and errno when it cannot
// be read.
std::optional<std::string> beginning_of(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text(1024, 0);
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  if (got < 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  return text;
}

Look look(pid_t pid) {
  constexpr Look gone{.told = true, .identity = std::nullopt};
  const auto text = beginning_of(directory_of(pid) / "stat");
  if (!text) return is_absence(errno) ? gone : Look{};
  const auto behind = behind_name(*text);
  if (!behind) return gone;
  std::istringstream fields(*behind);
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return gone;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  ProcessIdentity identity{.pid = pid};
  if (!(fields >> identity.start_ticks)) return gone;
  struct stat executable {};
  if (::stat((directory_of(pid) / "exe").c_str(), &executable) == 0) {
    identity.executable_inode = executable.st_ino;
    identity.executable_device = executable.st_dev;
  } else if (errno == ENOMEM) {
    return {};
  }
  return {.told = true, .identity = identity};
}

}  // namespace

Result<Process> Process::open(pid_t pid) {
  const auto identity = pid > 0 ? look(pid).identity : std::nullopt;
  if (!identity)
    return Error{ErrorKind::not_found,
                 "no process " + std::to_string(pid) +
                     " is visible here (check the pid and, in a pod, shareProcessNamespace)"};
  return Process(*identity);
}

std::filesystem::path Process::directory() const {
  constexpr pid_t nobody = 0;
  return directory_of(ended_ ? nobody : identity_.pid);
}

std::filesystem::path Process::root() const { return directory() / "root"; }

bool Process::running() const {
  if (ended_) return false;
  const Look now = look(identity_.pid);
  return !now.told || now.identity == identity_;
}

Result<UniqueFd> Process::open_executable() const {
  const auto path = directory() / "exe";
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd) return fd;
  const int error = errno;
  if (error == EACCES || error == EPERM)
    return Error{ErrorKind::not_permitted, "no permission to open " + path.string() +
                                               " (run as the VM's user or add CAP_SYS_PTRACE)"};
  return Error{ErrorKind::unreadable,
               "cannot open " + path.string() + ": " + std::generic_category().message(error)};
}

std::string Process::executable_path() const {
  std::error_code ignored;
  return std::filesystem::read_symlink(directory() / "exe", ignored).string();
}

std::string Process::command_line() const {
  std::ifstream file(directory() / "cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

std::vector<pid_t> visible_processes() {
  std::vector<pid_t> pids;
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry("/proc", ignored), end; entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) pids.push_back(pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

}  // namespace beam_exporter::os
