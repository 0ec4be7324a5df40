#include "commands/tools/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace beam_exporter::commands {

namespace {

constexpr mode_t only_the_owner = 0600;
constexpr mode_t as_umask_allows = 0666;

os::Error cannot_write(const std::string& path) {
  return {os::ErrorKind::system,
          "cannot write " + path + ": " + std::generic_category().message(errno)};
}

// A pipe or a terminal has no rights to change and no bytes to remove.
bool is_regular(int fd, struct stat& status) {
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

OutputFile::~OutputFile() {
  struct stat status {};
  // With bytes in it, it is by now the file of another run.
  if (made_ && is_regular(file_.get(), status) && status.st_size == 0) ::unlink(path_.c_str());
}

os::Status OutputFile::open(unsigned mode) {
  constexpr int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
  file_.reset(::open(path_.c_str(), flags | O_EXCL, mode));
  made_ = static_cast<bool>(file_);
  if (!file_ && errno == EEXIST) file_.reset(::open(path_.c_str(), flags, mode));
  if (file_) return os::Done{};
  return cannot_write(path_);
}

os::Status OutputFile::open() {
  if (!wanted()) return os::Done{};
  return open(as_umask_allows);
}

os::Status OutputFile::open_private() {
  if (!wanted()) return os::Done{};
  if (auto opened = open(only_the_owner); !opened) return opened;
  struct stat status {};
  if (is_regular(file_.get(), status) && ::fchmod(file_.get(), only_the_owner) != 0)
    return cannot_write(path_);
  return os::Done{};
}

os::Status OutputFile::write(std::string_view bytes) {
  struct stat status {};
  if (is_regular(file_.get(), status) && ::ftruncate(file_.get(), 0) != 0)
    return cannot_write(path_);
  made_ = false;
  while (!bytes.empty()) {
    const auto written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return cannot_write(path_);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return os::Done{};
}

}  // namespace beam_exporter::commands
