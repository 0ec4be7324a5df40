#include "os/memory/process_memory_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>
#include <system_error>

namespace beam_exporter::os {

Result<std::unique_ptr<Memory>> ProcessMemoryFile::open(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/mem";
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return std::unique_ptr<Memory>(new ProcessMemoryFile(std::move(file)));
  const bool refused = errno == EACCES || errno == EPERM;
  return Error{refused ? ErrorKind::not_permitted : ErrorKind::not_found,
               "cannot open " + path + ": " + std::generic_category().message(errno)};
}

bool ProcessMemoryFile::read(Address from, std::span<std::byte> into) const {
  const auto end = checked_add(from, into.size());
  // pread takes the address as a signed file offset. No user address is that large.
  if (!end || *end > static_cast<Address>(std::numeric_limits<off_t>::max())) return false;
  // pread returns fewer bytes where a page is missing.
  return pread(file_.get(), into.data(), into.size(), static_cast<off_t>(from)) ==
         static_cast<ssize_t>(into.size());
}

}  // namespace beam_exporter::os
