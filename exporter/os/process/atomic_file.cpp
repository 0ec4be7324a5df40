#include "os/process/atomic_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace beam_exporter::os {

namespace {

Error refused(const std::string& path, int number) {
  const auto kind = number == EACCES || number == EPERM ? ErrorKind::not_permitted
                    : number == ENOENT                  ? ErrorKind::not_found
                                                        : ErrorKind::system;
  return {kind, "cannot write " + path + ": " + std::generic_category().message(number)};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Result<AtomicFile> AtomicFile::at(const std::string& path) {
  const std::filesystem::path whole(path);
  const auto folder = whole.has_parent_path() ? whole.parent_path().string() : std::string(".");
  UniqueFd fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return refused(path, errno);
  return AtomicFile(std::move(fd), whole.filename().string(), path);
}

Result<AtomicFile> AtomicFile::in_tmp_of(const Process& process, std::string name) {
  const std::string path = (process.root() / "tmp" / name).string();
  const UniqueFd root(::open(process.root().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return refused(path, errno);
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  UniqueFd folder(static_cast<int>(syscall(SYS_openat2, root.get(), "tmp", &how, sizeof how)));
  if (!folder) return refused(path, errno);
  return AtomicFile(std::move(folder), std::move(name), path);
}

// The new file gets a name of its own first; O_EXCL and rename follow no link.
Status AtomicFile::write(std::string_view bytes) const {
  const std::string fresh = "." + name_ + "." + std::to_string(getpid());
  (void)unlinkat(folder_.get(), fresh.c_str(), 0);  // of a run that was killed
  const UniqueFd fd(openat(folder_.get(), fresh.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) return refused(path_, errno);
  if (!write_all(fd.get(), bytes) ||
      renameat(folder_.get(), fresh.c_str(), folder_.get(), name_.c_str()) != 0) {
    const int number = errno;
    (void)unlinkat(folder_.get(), fresh.c_str(), 0);
    return refused(path_, number);
  }
  return Done{};
}

}  // namespace beam_exporter::os
