#include "elf/loaded_objects.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace beam_exporter::elf {

namespace {

constexpr std::string_view vdso_name = "[vdso]";
constexpr std::uint64_t largest_vdso = 1 << 20;

// The vdso has no file: we copy its memory.
os::Result<os::UniqueFd> copy_of_memory(const os::Memory& memory, os::AddressRange range) {
  std::vector<std::byte> bytes(range.size());
  if (range.size() > largest_vdso || !memory.read(range.begin, bytes))
    return os::Error{os::ErrorKind::unreadable, "cannot read the vdso"};
  os::UniqueFd fd(memfd_create("vdso", MFD_CLOEXEC));
  if (!fd || write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return os::Error{os::ErrorKind::system, "cannot copy the vdso"};
  return fd;
}

std::string map_files_entry(const os::Process& process, os::AddressRange range) {
  char name[64];
  std::snprintf(name, sizeof name, "%lx-%lx", static_cast<unsigned long>(range.begin),
                static_cast<unsigned long>(range.end));
  return (process.directory() / "map_files" / name).string();
}

}  // namespace

void LoadedObjects::update(const os::MemoryMap& map) {
  code_.clear();
  lowest_.clear();
  for (const auto& mapping : map.mappings()) {
    const bool file =
        mapping.inode != 0 && mapping.path.starts_with("/") && !mapping.path.starts_with("/memfd:");
    if (!file && mapping.path != vdso_name) continue;
    const Key key{mapping.inode, mapping.path};
    lowest_.try_emplace(key, mapping.range);
    if (mapping.executable) code_.emplace(mapping.range.begin, CodeRange{mapping.range.end, key});
  }
  std::erase_if(objects_, [&](const auto& entry) { return !lowest_.contains(entry.first); });
}

const NativeSymbols& LoadedObject::symbols() {
  if (!names) names = NativeSymbols::read(image);
  return *names;
}

std::vector<os::Address> LoadedObjects::code() const {
  std::map<Key, os::Address> first;
  for (const auto& [begin, range] : code_) first.try_emplace(range.key, begin);
  std::vector<os::Address> addresses;
  addresses.reserve(first.size());
  for (const auto& [key, begin] : first) addresses.push_back(begin);
  return addresses;
}

LoadedObject* LoadedObjects::at(os::Address address) {
  const auto after = code_.upper_bound(address);
  if (after == code_.begin()) return nullptr;
  const auto& [begin, range] = *std::prev(after);
  if (address >= range.end) return nullptr;
  const auto known = objects_.find(range.key);
  return known != objects_.end() ? known->second.get() : open(begin, range);
}

LoadedObject* LoadedObjects::open(os::Address mapping, const CodeRange& range) {
  auto& slot = objects_[range.key];
  auto file = open_file(mapping, range);
  if (!file) return nullptr;
  auto image = Image::open(std::move(*file), range.key.path);
  if (!image) return nullptr;
  if (!image->has_symbol_table() && range.key.path != vdso_name)
    (void)search_.complete(*image, process_.root(), range.key.path);
  const auto bias = image->load_bias(lowest_.at(range.key).begin);
  if (!bias) return nullptr;
  slot = std::make_unique<LoadedObject>(
      LoadedObject{range.key.path, std::move(*image), *bias, std::nullopt});
  if (auto frames = FrameRules::open(slot->image)) slot->frames = std::move(*frames);
  return slot.get();
}

os::Result<os::UniqueFd> LoadedObjects::open_file(os::Address mapping,
                                                  const CodeRange& range) const {
  if (range.key.path == vdso_name) return copy_of_memory(*memory_, lowest_.at(range.key));
  // map_files opens the mapped file itself, even when it is deleted, but needs
  // CAP_CHECKPOINT_RESTORE.
  os::UniqueFd fd(
      ::open(map_files_entry(process_, {mapping, range.end}).c_str(), O_RDONLY | O_CLOEXEC));
  if (fd) return fd;
  // The second path is for a target in our mount namespace, also one in a chroot: the kernel then
  // writes its paths as we see them.
  for (const std::string& path : {process_.root().string() + range.key.path, range.key.path,
                                  (process_.directory() / "exe").string()}) {
    fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    // Another inode under that name is another file: somebody upgraded it while the target runs.
    if (fd && fstat(fd.get(), &found) == 0 && found.st_ino == range.key.inode) return fd;
  }
  return os::Error{os::ErrorKind::not_found, "cannot open " + range.key.path + " of the target"};
}

}  // namespace beam_exporter::elf
