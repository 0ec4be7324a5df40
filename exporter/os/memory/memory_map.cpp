#include "os/memory/memory_map.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace beam_exporter::os {

namespace {

bool parse_line(const std::string& line, Mapping& out) {
  char permissions[5] = {};
  int path_at = 0;
  unsigned long begin = 0, end = 0, offset = 0, inode = 0;
  // The kernel writes these numbers, so they fit. NOLINTNEXTLINE(cert-err34-c)
  if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu %n", &begin, &end, permissions, &offset,
                  &inode, &path_at) != 5 ||
      begin >= end)
    return false;
  out.range = {begin, end};
  out.readable = permissions[0] == 'r';
  out.writable = permissions[1] == 'w';
  out.executable = permissions[2] == 'x';
  out.file_offset = offset;
  out.inode = inode;
  if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size())
    out.path = line.substr(path_at);
  return true;
}

}  // namespace

Result<MemoryMap> MemoryMap::read(const std::filesystem::path& proc_directory) {
  std::ifstream file(proc_directory / "maps");
  std::stringstream text;
  text << file.rdbuf();
  // Opening succeeds without the right to look: the kernel then gives an empty file or EACCES on
  // read.
  if (!file || text.str().empty())
    return Error{ErrorKind::not_permitted, "cannot read " + (proc_directory / "maps").string() +
                                               ": the process is gone, or belongs to another user "
                                               "(run as its user or add CAP_SYS_PTRACE)"};
  return parse(text.str());
}

Result<MemoryMap> MemoryMap::parse(const std::string& text) {
  std::vector<Mapping> mappings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Mapping mapping;
    if (!parse_line(line, mapping))
      return Error{ErrorKind::malformed, "not a line of /proc/PID/maps: '" + line + "'"};
    mappings.push_back(std::move(mapping));
  }
  return of(std::move(mappings));
}

MemoryMap MemoryMap::of(std::vector<Mapping> mappings) {
  MemoryMap map;
  map.mappings_ = std::move(mappings);
  std::sort(map.mappings_.begin(), map.mappings_.end(),
            [](const Mapping& a, const Mapping& b) { return a.range.begin < b.range.begin; });
  return map;
}

const Mapping* MemoryMap::find(Address address) const {
  auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                [](Address a, const Mapping& m) { return a < m.range.begin; });
  if (after == mappings_.begin()) return nullptr;
  const Mapping& candidate = *std::prev(after);
  return candidate.range.contains(address) ? &candidate : nullptr;
}

bool MemoryMap::readable(Address address, std::uint64_t bytes) const {
  const auto end = checked_add(address, bytes);
  if (!end) return false;
  while (address < *end) {
    const Mapping* mapping = find(address);
    if (mapping == nullptr || !mapping->readable) return false;
    address = mapping->range.end;
  }
  return true;
}

}  // namespace beam_exporter::os
