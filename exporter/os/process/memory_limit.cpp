#include "os/process/memory_limit.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <vector>

namespace beam_exporter::os {

namespace {

namespace fs = std::filesystem;

// Version 1 shows "no limit" as the largest number of whole pages (PAGE_COUNTER_MAX).
constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;

struct Files {
  const char *limit, *used, *reclaimable;  // the last is a key of memory.stat
};
constexpr Files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Files version_2{"memory.max", "memory.current", "inactive_file"};

struct Group {
  int version = 2;
  std::string path;  // as /proc/PID/cgroup says it
};

// Of "4:cpu,memory:/a" and "0::/a": the first if it is there, because then version 1 has the
// controller.
std::optional<Group> group_of(const fs::path& proc_directory) {
  std::ifstream file(proc_directory / "cgroup");
  std::optional<Group> found;
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find(",memory,") != std::string::npos) return Group{1, line.substr(second + 1)};
    if (controllers == ",,") found = Group{2, line.substr(second + 1)};
  }
  return found;
}

// The group as a path below `mount`, where this mountinfo has it; empty: it has not.
struct Place {
  fs::path mount, below;
};
std::vector<Place> places(const fs::path& proc_directory, const fs::path& root,
                          const Group& group) {
  std::vector<Place> found;
  std::ifstream file(proc_directory / "mountinfo");
  for (std::string line; std::getline(file, line);) {
    // proc_pid_mountinfo(5): id, parent, device, root, mount point, ... - type, source, options.
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line), back(line.substr(dash + 3));
    std::string word, mounted, at, type, source, options;
    front >> word >> word >> word >> mounted >> at;
    back >> type >> source >> options;
    const bool fits =
        group.version == 2
            ? type == "cgroup2"
            : type == "cgroup" && ("," + options + ",").find(",memory,") != std::string::npos;
    if (!fits) continue;
    if (mounted == "/") mounted.clear();
    if (!group.path.starts_with(mounted)) continue;
    auto below = group.path.substr(mounted.size());
    if (!below.empty() && below.front() != '/') continue;
    below.erase(0, below.find_first_not_of('/'));
    found.push_back({root / fs::path(at).relative_path(), below});
  }
  return found;
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

std::optional<std::string> word_of(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return word;
}

std::uint64_t reclaimable(const fs::path& directory, const char* key) {
  std::ifstream file(directory / "memory.stat");
  std::string name, value;
  while (file >> name >> value)
    if (name == key) return number(value).value_or(0);
  return 0;
}

// nullopt: no limit here. The root of version 2 has none of these files.
Result<std::optional<MemoryLimit>> limit_at(const fs::path& directory, int version) {
  const auto& files = version == 1 ? version_1 : version_2;
  const auto limit = word_of(directory / files.limit);
  if (!limit || *limit == "max") return std::optional<MemoryLimit>{};
  const auto used = word_of(directory / files.used);
  const auto most = number(*limit);
  const auto now = used ? number(*used) : std::nullopt;
  if (!most || !now)
    return Error{ErrorKind::malformed, "no number in " + (directory / files.limit).string()};
  if (*most >= no_limit) return std::optional<MemoryLimit>{};
  return std::optional<MemoryLimit>(
      {version, "", *most, *now, reclaimable(directory, files.reclaimable)});
}

}  // namespace

Result<std::optional<MemoryLimit>> read_memory_limit(const fs::path& proc_directory,
                                                     const fs::path& own_directory) {
  const auto group = group_of(proc_directory);
  if (!group) return Error{ErrorKind::not_found, "the process has no memory control group"};
  auto all = places(proc_directory, proc_directory / "root", *group);
  const auto own = places(own_directory, "/", *group);
  all.insert(all.end(), own.begin(), own.end());
  for (const auto& place : all) {
    std::error_code failure;
    if (!fs::is_directory(place.mount / place.below, failure)) continue;
    std::optional<MemoryLimit> nearest;
    for (fs::path below = place.below;; below = below.parent_path()) {
      auto limit = limit_at(place.mount / below, group->version);
      if (!limit) return limit.error();
      if (*limit && (!nearest || (*limit)->left() < nearest->left())) {
        nearest = *limit;
        nearest->group = "/" + below.string();
      }
      if (below.empty()) return nearest;
    }
  }
  return Error{ErrorKind::not_found, "the control group " + group->path + " cannot be seen"};
}

}  // namespace beam_exporter::os
