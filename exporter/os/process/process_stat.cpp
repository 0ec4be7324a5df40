#include "os/process/process_stat.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace beam_exporter::os {
namespace {

std::optional<std::string> content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // If the process ends between open and read, read fails with ESRCH: there is no content.
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::uint64_t> boot_time_seconds(const std::filesystem::path& stat) {
  std::ifstream file(stat);
  std::string key;
  std::uint64_t value = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> key >> value && key == "btime") return value;
  }
  return std::nullopt;
}

// The soft limit: the first number after the name. nullopt for "unlimited".
std::optional<std::uint64_t> limit_named(const std::string& limits, std::string_view name) {
  std::istringstream lines(limits);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    std::istringstream words(line.substr(name.size()));
    std::uint64_t value = 0;
    if (words >> value) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> entries_in(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  std::uint64_t count = 0;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  if (error) return std::nullopt;
  return count;
}

}  // namespace

std::optional<std::string> behind_name(const std::string& stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  return stat.substr(name_end + 1);
}

Result<ProcessStat> read_process_stat(const std::filesystem::path& proc_dir) {
  const auto text = content_of(proc_dir / "stat");
  if (!text) return Error{ErrorKind::not_found, "no process at " + proc_dir.string()};

  const auto numbers = behind_name(*text);
  if (!numbers)
    return Error{ErrorKind::malformed, (proc_dir / "stat").string() + ": no process name"};
  std::istringstream fields(*numbers);

  std::string skipped;
  const auto skip = [&](int count) {
    while (count-- > 0) fields >> skipped;
  };
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t resident_pages = 0;
  ProcessStat stat;
  skip(11);  // fields 3 to 13 of proc(5): state to cmajflt
  fields >> user_ticks >> system_ticks;
  skip(4);  // 16 to 19: cutime to nice
  fields >> stat.threads;
  skip(1);  // 21: itrealvalue
  fields >> stat.start_ticks >> stat.virtual_bytes >> resident_pages;
  if (!fields) return Error{ErrorKind::malformed, (proc_dir / "stat").string() + ": too short"};

  const auto boot = boot_time_seconds(proc_dir.parent_path() / "stat");
  if (!boot)
    return Error{ErrorKind::malformed, (proc_dir.parent_path() / "stat").string() + ": no btime"};

  const double ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  stat.user_seconds = static_cast<double>(user_ticks) / ticks_per_second;
  stat.system_seconds = static_cast<double>(system_ticks) / ticks_per_second;
  stat.start_time_seconds =
      static_cast<double>(*boot) + static_cast<double>(stat.start_ticks) / ticks_per_second;
  stat.resident_bytes = resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  stat.open_fds = entries_in(proc_dir / "fd");
  if (const auto limits = content_of(proc_dir / "limits")) {
    stat.max_fds = limit_named(*limits, "Max open files");
    stat.max_virtual_bytes = limit_named(*limits, "Max address space");
  }
  return stat;
}

}  // namespace beam_exporter::os
