#include "os/memory/smaps.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string>

#include "os/unique_fd.h"

namespace beam_exporter::os {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t present_bit = std::uint64_t{1} << 63;  // admin-guide/mm/pagemap.rst

// "Rss:                 123 kB"; nullopt for any other field.
std::optional<std::uint64_t> kilobytes(std::string_view line, std::string_view field) {
  if (!line.starts_with(field)) return std::nullopt;
  line.remove_prefix(field.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (failure != std::errc{} || value > (std::uint64_t{1} << 50)) return std::nullopt;
  return value * 1024;
}

// A field's name ends with ':' before any blank; a mapping begins with its addresses.
bool is_field(std::string_view line) {
  const auto end = line.find_first_of(" :");
  return end != std::string_view::npos && line[end] == ':';
}

}  // namespace

Result<std::vector<MappingUse>> read_smaps(const std::filesystem::path& proc_directory) {
  std::ifstream file(proc_directory / "smaps");
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty())
    return Error{ErrorKind::not_permitted, "cannot read " + (proc_directory / "smaps").string()};
  return parse_smaps(text.str());
}

Result<std::vector<MappingUse>> parse_smaps(const std::string& text) {
  std::vector<MappingUse> uses;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!is_field(line)) {
      const auto map = MemoryMap::parse(line + "\n");
      if (!map || map->mappings().size() != 1)
        return Error{ErrorKind::malformed, "not a line of /proc/PID/smaps: '" + line + "'"};
      uses.push_back({map->mappings().front()});
      continue;
    }
    if (uses.empty())
      return Error{ErrorKind::malformed, "/proc/PID/smaps does not begin with a mapping"};
    if (const auto resident = kilobytes(line, "Rss:")) uses.back().resident = *resident;
    if (const auto anonymous = kilobytes(line, "Anonymous:")) uses.back().anonymous = *anonymous;
  }
  return uses;
}

std::optional<std::uint64_t> resident_bytes(const std::filesystem::path& proc_directory,
                                            std::span<const AddressRange> ranges) {
  const UniqueFd file(open((proc_directory / "pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::vector<std::uint64_t> entries(8192);
  std::uint64_t resident = 0;
  for (const auto& range : ranges) {
    const std::uint64_t last = (range.end + page_bytes - 1) / page_bytes;
    for (std::uint64_t page = range.begin / page_bytes; page < last;) {
      const std::uint64_t many = std::min<std::uint64_t>(entries.size(), last - page);
      const ssize_t got = pread(file.get(), entries.data(), many * sizeof(std::uint64_t),
                                static_cast<off_t>(page * sizeof(std::uint64_t)));
      if (got < 0 || static_cast<std::uint64_t>(got) % sizeof(std::uint64_t) != 0)
        return std::nullopt;
      if (got == 0) break;  // past the end of user space
      const auto read = static_cast<std::uint64_t>(got) / sizeof(std::uint64_t);
      for (std::uint64_t k = 0; k < read; ++k)
        if ((entries[k] & present_bit) != 0) resident += page_bytes;
      page += read;
    }
  }
  return resident;
}

}  // namespace beam_exporter::os
