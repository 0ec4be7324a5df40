#include "commands/tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "os/unique_fd.h"

namespace beam_exporter::commands {

namespace {

os::Error cannot_write(const std::string& path) {
  return {os::ErrorKind::system,
          "cannot write " + path + ": " + std::generic_category().message(errno)};
}

}  // namespace

os::Status OutputFile::open() {
  if (!wanted()) return os::Done{};
  file_.open(path_, std::ios::binary);
  if (file_) return os::Done{};
  return cannot_write(path_);
}

os::Status OutputFile::open_private() {
  if (!wanted()) return os::Done{};
  constexpr mode_t only_the_owner = 0600;
  const os::UniqueFd fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, only_the_owner));
  struct stat status {};
  // A pipe or a terminal keeps its rights.
  if (!fd || ::fstat(fd.get(), &status) != 0 ||
      (S_ISREG(status.st_mode) && ::fchmod(fd.get(), only_the_owner) != 0))
    return cannot_write(path_);
  return open();
}

os::Status OutputFile::write(std::string_view bytes) {
  file_ << bytes << std::flush;
  if (file_) return os::Done{};
  return cannot_write(path_);
}

}  // namespace beam_exporter::commands
