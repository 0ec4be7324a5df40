#include "os/perf/perf_recording.h"

#include <linux/perf_event.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

namespace beam_exporter::os {

namespace {

// struct perf_file_header, tools/perf/util/header.h and
// tools/perf/Documentation/perf.data-file-format.txt (Linux 6.1).
struct FileSection {
  std::uint64_t offset, size;
};
struct FileHeader {
  std::array<char, 8> magic;
  std::uint64_t size, attribute_size;
  FileSection attributes, data, event_types;
};
constexpr std::string_view magic = "PERFILE2";
constexpr std::uint32_t compressed_record = 81;  // PERF_RECORD_COMPRESSED

constexpr std::string_view anonymous = "//anon";

// Where in a record the file's name begins (perf_record_mmap and _mmap2 in
// tools/lib/perf/include/perf/event.h, Linux 6.1); 0: it has none.
std::size_t name_place(std::uint32_t type) {
  if (type == PERF_RECORD_MMAP) return 40;
  if (type == PERF_RECORD_MMAP2) return 72;
  return 0;
}

bool is_name(const std::vector<char>& record, std::size_t at, std::string_view name) {
  return at != 0 && record.size() > at + name.size() && record[at + name.size()] == '\0' &&
         std::string_view(record.data() + at, name.size()) == name;
}

}  // namespace

Result<std::size_t> make_mappings_anonymous(const std::string& path, std::string_view file_name) {
  const auto malformed = [&](const std::string& why) {
    return Error{ErrorKind::malformed, path + ": " + why};
  };
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  if (!file)
    return Error{errno == ENOENT ? ErrorKind::not_found : ErrorKind::not_permitted,
                 path + ": " + std::generic_category().message(errno)};
  FileHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::string_view(header.magic.data(), header.magic.size()) != magic)
    return malformed("not a file of perf record");
  if (header.data.size == 0)
    return malformed("perf record has not finished it, or wrote to a pipe");

  std::size_t changed = 0;
  std::uint64_t at = header.data.offset;
  const std::uint64_t end = at + header.data.size;
  while (at < end) {
    perf_event_header event{};
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(&event), sizeof event);
    if (!file || event.size < sizeof event) return malformed("it ends in the midst of a record");
    if (event.type == compressed_record)
      return Error{ErrorKind::unsupported, path + ": it is compressed: record without -z"};
    if (const auto place = name_place(event.type); place != 0) {
      std::vector<char> record(event.size - sizeof event);
      file.read(record.data(), static_cast<std::streamsize>(record.size()));
      if (!file) return malformed("it ends in the midst of a record");
      const auto name_at = place - sizeof event;
      if (is_name(record, name_at, file_name)) {
        std::string name(file_name.size(), '\0');
        name.replace(0, anonymous.size(), anonymous);
        file.seekp(static_cast<std::streamoff>(at + place));
        file.write(name.data(), static_cast<std::streamsize>(name.size()));
        ++changed;
      }
    }
    at += event.size;
  }
  if (!file.flush())
    return Error{ErrorKind::system, path + ": " + std::generic_category().message(errno)};
  return changed;
}

}  // namespace beam_exporter::os
