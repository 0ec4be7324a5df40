#include "elf/debug_file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace beam_exporter::elf {

namespace {

namespace fs = std::filesystem;

// Opens `path` inside `root`; an absolute link starts at `root` too. A plain open would follow a
// link /usr/lib/debug -> /mnt/debug into our own /mnt.
os::UniqueFd open_inside(const os::UniqueFd& root, const fs::path& root_path,
                         const fs::path& path) {
  const fs::path inside = path.relative_path();
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, root.get(), inside.c_str(), &how, sizeof how);
  if (fd >= 0) return os::UniqueFd(static_cast<int>(fd));
  // openat2 is missing before Linux 5.6, and under container runtimes with an older seccomp list.
  // Then we open files only where the target's root is our own.
  if ((errno == ENOSYS || errno == EPERM) && root_path == "/")
    return os::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return {};
}

std::vector<fs::path> candidates(const Image& binary, const fs::path& binary_path) {
  static const fs::path debug_root = "/usr/lib/debug";
  std::vector<fs::path> paths;
  const std::string& id = binary.build_id();
  if (id.size() > 2)
    paths.push_back(debug_root / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug"));
  const fs::path folder = binary_path.parent_path();
  if (binary.debug_link()) {
    const std::string& link = binary.debug_link()->file_name;
    if (link != binary_path.filename()) paths.push_back(folder / link);
    paths.push_back(folder / ".debug" / link);
    paths.push_back(debug_root / folder.relative_path() / link);
  } else {
    paths.push_back(debug_root / binary_path.relative_path().concat(".debug"));
  }
  return paths;
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320U : 0U);
  }
  return table;
}();

// The CRC-32 of the whole file, as in .gnu_debuglink. zlib has the same function, but only web/
// uses zlib.
std::optional<std::uint32_t> crc_of(int fd) {
  // The target chose the file: reading one without end would stop us.
  constexpr off_t largest = off_t{1} << 30;
  struct stat status {};
  if (::fstat(fd, &status) != 0 || status.st_size > largest) return std::nullopt;
  std::vector<unsigned char> chunk(std::size_t{1} << 16);
  std::uint32_t crc = ~std::uint32_t{0};
  for (off_t offset = 0;;) {
    const ssize_t got = ::pread(fd, chunk.data(), chunk.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return ~crc;
    for (ssize_t i = 0; i < got; ++i)
      crc = crc_table[(crc ^ chunk[static_cast<std::size_t>(i)]) & 0xff] ^ (crc >> 8);
    offset += got;
  }
}

bool fits(const Image& binary, const Image& debug) {
  if (!binary.build_id().empty()) return binary.build_id() == debug.build_id();
  return binary.debug_link() && crc_of(debug.descriptor()) == binary.debug_link()->crc;
}

// Opens it if it is that binary's debug file; else adds to `tried` what it is.
std::optional<Image> take(os::UniqueFd file, const fs::path& path, const Image& binary,
                          std::string& tried) {
  tried += (tried.empty() ? "" : ", ") + path.string();
  if (!file) return std::nullopt;
  auto debug = Image::open(std::move(file), path.string());
  if (!debug) {
    tried += " (unreadable)";
  } else if (!debug->has_debug_info()) {
    tried += " (no DWARF)";
  } else if (!fits(binary, *debug)) {
    tried += " (of another build)";
  } else {
    return std::move(*debug);
  }
  return std::nullopt;
}

}  // namespace

os::Result<Image> find_debug_file(const Image& binary, const fs::path& root,
                                  const fs::path& binary_path) {
  std::string tried;
  for (const fs::path& each : {root, fs::path("/")}) {
    const os::UniqueFd folder(::open(each.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder)
      return os::Error{os::ErrorKind::not_found,
                       each.string() + ": the root folder cannot be opened"};
    std::string here;
    for (const auto& path : candidates(binary, binary_path))
      if (auto debug = take(open_inside(folder, each, path), path, binary, here))
        return std::move(*debug);
    if (tried.empty()) tried = std::move(here);
  }
  return os::Error{os::ErrorKind::not_found,
                   binary.name() + ": no debug file, looked for " + tried};
}

}  // namespace beam_exporter::elf
