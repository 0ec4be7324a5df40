#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/procfs.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <system_error>

#include "elf/core_file.h"
#include "elf/elf_handle.h"

namespace beam_exporter::elf {

namespace {

// A note holds one entry of the list for each mapping; a VM has some thousand.
constexpr std::uint64_t largest_notes = std::uint64_t{64} << 20;

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

}  // namespace

// Reads the headers and the notes once.
class CoreReader {
 public:
  static os::Result<CoreFile> read(os::UniqueFd file, const std::string& path) {
    CoreReader reader(path);
    reader.core_.content_.file = std::move(file);
    if (auto status = reader.read_all(); !status) return status.error();
    return std::move(reader.core_);
  }

 private:
  explicit CoreReader(const std::string& path) : path_(path) {}

  os::Error malformed(const std::string& what) const {
    return os::Error{os::ErrorKind::malformed, path_ + ": " + what};
  }

  os::Status read_all() {
    struct stat status {};
    if (::fstat(core_.content_.file.get(), &status) != 0 || !S_ISREG(status.st_mode))
      return malformed("not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);
    elf_ = open_elf(core_.content_.file.get());
    GElf_Ehdr header;
    if (!elf_ || gelf_getehdr(elf_.get(), &header) == nullptr)
      return malformed("not an ELF file (if it is compressed: zstd -d, lz4 -d or xz -d first)");
    if (header.e_type != ET_CORE) return malformed("not a core file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
      return os::Error{os::ErrorKind::unsupported, path_ + ": only cores of x86-64 are supported"};
    if (auto done = read_headers(); !done) return done;
    make_map();
    return os::Done{};
  }

  os::Status read_headers() {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0 ||
        count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return malformed("the program headers cannot be read");
    for (std::size_t k = 0; k < count; ++k) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_.get(), static_cast<int>(k), &header) == nullptr)
        return malformed("the program headers cannot be read");
      const auto end = os::checked_add(header.p_vaddr, header.p_memsz);
      const auto file_end = os::checked_add(header.p_offset, header.p_filesz);
      if (!end || !file_end || *file_end > std::numeric_limits<off_t>::max())
        return malformed("a segment has impossible bounds");
      if (header.p_type == PT_LOAD && header.p_memsz > 0) add_segment(header, *end, *file_end);
      if (header.p_type == PT_NOTE && *file_end <= size_) read_notes(header);
    }
    std::ranges::sort(core_.content_.segments, {},
                      [](const Segment& one) { return one.addresses.begin; });
    for (std::size_t k = 1; k < core_.content_.segments.size(); ++k)
      if (core_.content_.segments[k].addresses.begin < core_.content_.segments[k - 1].addresses.end)
        return malformed("two segments overlap");
    return os::Done{};
  }

  void add_segment(const GElf_Phdr& header, os::Address end, std::uint64_t file_end) {
    Segment segment{{header.p_vaddr, end},
                    header.p_offset,
                    std::min(header.p_filesz, header.p_memsz),
                    (header.p_flags & PF_R) != 0,
                    (header.p_flags & PF_W) != 0,
                    (header.p_flags & PF_X) != 0};
    if (file_end > size_) {
      const std::uint64_t there = size_ > header.p_offset ? size_ - header.p_offset : 0;
      core_.missing_bytes_ += segment.file_size - std::min(segment.file_size, there);
      segment.file_size = std::min(segment.file_size, there);
    }
    core_.content_.segments.push_back(segment);
  }

  void read_notes(const GElf_Phdr& header) {
    if (header.p_filesz > largest_notes) return;
    Elf_Data* data = elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(header.p_offset),
                                          header.p_filesz, ELF_T_NHDR);
    if (data == nullptr) return;
    GElf_Nhdr note;
    std::size_t name = 0, description = 0;
    for (std::size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
      const std::span bytes(static_cast<const std::byte*>(data->d_buf) + description,
                            note.n_descsz);
      if (note.n_type == NT_PRPSINFO && bytes.size() >= sizeof(elf_prpsinfo)) {
        elf_prpsinfo info;
        std::memcpy(&info, bytes.data(), sizeof info);
        core_.pid_ = info.pr_pid;
      }
      if (note.n_type == NT_FILE) read_files(bytes);
    }
  }

  // NT_FILE, fill_files_note in fs/binfmt_elf.c (Linux 6.1): the number of entries and the page
  // size; begin, end and offset in pages of each; then their paths, each with its NUL.
  void read_files(std::span<const std::byte> bytes) {
    if (bytes.size() < 16) return;
    const std::uint64_t count = word_at(bytes, 0);
    if (count > (bytes.size() - 16) / 24) return;
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    std::size_t name = 16 + (count * 24);
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto* end = static_cast<const char*>(
          name < bytes.size() ? std::memchr(text + name, 0, bytes.size() - name) : nullptr);
      if (end == nullptr) return;
      files_[word_at(bytes, 16 + (k * 24))] = std::string(text + name, end);
      name = static_cast<std::size_t>(end - text) + 1;
    }
  }

  void make_map() {
    std::map<std::string, std::uint64_t> inodes;
    std::vector<os::Mapping> mappings;
    for (const Segment& segment : core_.content_.segments) {
      os::Mapping mapping{.range = segment.addresses,
                          .readable = segment.readable,
                          .writable = segment.writable,
                          .executable = segment.executable};
      if (const auto file = files_.find(segment.addresses.begin); file != files_.end()) {
        mapping.path = file->second;
        mapping.inode = inodes.emplace(mapping.path, inodes.size() + 1).first->second;
      }
      mappings.push_back(std::move(mapping));
    }
    core_.map_ = os::MemoryMap::of(std::move(mappings));
  }

  std::string path_;
  ElfHandle elf_;
  std::uint64_t size_ = 0;
  std::map<os::Address, std::string> files_;  // by the begin of the mapping
  CoreFile core_;
};

os::Result<CoreFile> CoreFile::open(const std::string& path) {
  os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    const auto kind = errno == ENOENT ? os::ErrorKind::not_found : os::ErrorKind::not_permitted;
    return os::Error{kind, "cannot open " + path + ": " + std::generic_category().message(errno)};
  }
  return CoreReader::read(std::move(file), path);
}

}  // namespace beam_exporter::elf
