#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

#include "elf/elf_handle.h"
#include "elf/image.h"

namespace beam_exporter::elf {

// Reads, once, everything that an Image keeps, and then closes libelf's view of the file. libelf
// checks its own tables against the file size; we check what it returns once more.
class ImageReader {
 public:
  static os::Result<Image> read(os::UniqueFd file, std::string name) {
    Image image;
    image.file_ = std::move(file);
    image.name_ = std::move(name);
    ImageReader reader(image);
    if (auto error = reader.read_all()) return std::move(*error);
    return image;
  }

 private:
  using Failure = std::optional<os::Error>;

  explicit ImageReader(Image& image) : image_(image) {}

  Failure failure(os::ErrorKind kind, const std::string& what) const {
    return os::Error{kind, image_.name_ + ": " + what};
  }

  Failure read_all() {
    struct stat status {};
    if (::fstat(image_.file_.get(), &status) != 0)
      return failure(os::ErrorKind::system, std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) return failure(os::ErrorKind::malformed, "not a regular file");
    file_size_ = static_cast<std::uint64_t>(status.st_size);
    elf_ = open_elf(image_.file_.get());
    if (!elf_) return failure(os::ErrorKind::malformed, "not an ELF file");
    if (auto error = read_header()) return error;
    if (auto error = read_segments()) return error;
    if (auto error = read_sections()) return error;
    image_.symbols_.sort();
    read_build_id();
    return read_debug_link();
  }

  Failure read_header() {
    GElf_Ehdr header;
    if (gelf_getehdr(elf_.get(), &header) == nullptr)
      return failure(os::ErrorKind::malformed, "the ELF header cannot be read");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      return failure(os::ErrorKind::unsupported,
                     "only 64-bit little-endian ELF files are supported");
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
      return failure(os::ErrorKind::unsupported, "neither an executable nor a library");
    image_.arch_ = header.e_machine == EM_X86_64    ? "x86_64"
                   : header.e_machine == EM_AARCH64 ? "aarch64"
                                                    : "machine-" + std::to_string(header.e_machine);
    section_table_ = header.e_shoff;
    return {};
  }

  Failure read_segments() {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0 ||
        count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return failure(os::ErrorKind::malformed, "the program headers cannot be read");
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr)
        return failure(os::ErrorKind::malformed, "the program headers cannot be read");
      if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
      const auto end = os::checked_add(header.p_vaddr, header.p_memsz);
      const auto file_end = os::checked_add(header.p_offset, header.p_filesz);
      if (!end || !file_end || *file_end > max_offset || header.p_filesz > header.p_memsz)
        return failure(os::ErrorKind::malformed, "a segment has impossible bounds");
      image_.segments_.push_back({{header.p_vaddr, *end},
                                  header.p_offset,
                                  header.p_filesz,
                                  (header.p_flags & PF_R) != 0,
                                  (header.p_flags & PF_W) != 0,
                                  (header.p_flags & PF_X) != 0});
    }
    return {};
  }

  Failure read_sections() {
    if (section_table_ == 0) return {};
    std::size_t count = 0;
    std::size_t names = 0;
    if (elf_getshdrnum(elf_.get(), &count) != 0 || elf_getshdrstrndx(elf_.get(), &names) != 0)
      return failure(os::ErrorKind::malformed, "the section table cannot be read");
    // libelf silently drops a table that lies outside the file: without this check, a truncated
    // file would look stripped.
    const auto table_end = os::checked_add(section_table_, count * sizeof(Elf64_Shdr));
    if (count == 0 || !table_end || *table_end > file_size_)
      return failure(os::ErrorKind::malformed, "the section table lies outside the file");
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;)
      if (auto error = read_section(scn, names)) return error;
    return {};
  }

  Failure read_section(Elf_Scn* scn, std::size_t names) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr)
      return failure(os::ErrorKind::malformed, "a section header cannot be read");
    const char* raw_name = elf_strptr(elf_.get(), names, header.sh_name);
    const std::string name = raw_name != nullptr ? raw_name : "";
    const bool in_file = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    const auto file_end = os::checked_add(header.sh_offset, header.sh_size);
    if (in_file && (!file_end || *file_end > file_size_))
      return failure(os::ErrorKind::malformed, "section " + name + " lies outside the file");
    const auto end = os::checked_add(header.sh_addr, header.sh_size);
    if ((header.sh_flags & SHF_ALLOC) != 0 && end)
      image_.sections_.push_back({name, {header.sh_addr, *end}});
    if (in_file && header.sh_size > 0 && (name == ".debug_info" || name == ".zdebug_info"))
      image_.has_debug_info_ = true;
    if (in_file && header.sh_type == SHT_SYMTAB) image_.has_symbol_table_ = true;
    if (in_file && (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB))
      return read_symbols(scn, header);
    return {};
  }

  Failure read_symbols(Elf_Scn* scn, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(scn, nullptr);
    if (data == nullptr || header.sh_entsize != sizeof(Elf64_Sym))
      return failure(os::ErrorKind::malformed, "a symbol table cannot be read");
    const std::size_t count = data->d_size / sizeof(Elf64_Sym);
    if (count > max_symbols) return failure(os::ErrorKind::malformed, "too many symbols");
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr)
        return failure(os::ErrorKind::malformed, "a symbol table cannot be read");
      const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0') add_symbol(symbol, name);
    }
    return {};
  }

  void add_symbol(const GElf_Sym& symbol, std::string_view name) {
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (symbol.st_shndx == SHN_UNDEF || (!is_function && type != STT_OBJECT && type != STT_NOTYPE))
      return;
    image_.symbols_.add(name, GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
                        {symbol.st_value, symbol.st_size, is_function, in_code(symbol)});
  }

  bool in_code(const GElf_Sym& symbol) const {
    GElf_Shdr header;
    Elf_Scn* scn =
        symbol.st_shndx < SHN_LORESERVE ? elf_getscn(elf_.get(), symbol.st_shndx) : nullptr;
    return scn != nullptr && gelf_getshdr(scn, &header) != nullptr &&
           (header.sh_flags & SHF_EXECINSTR) != 0;
  }

  void read_build_id() {
    const void* bytes = nullptr;
    const ssize_t size = dwelf_elf_gnu_build_id(elf_.get(), &bytes);
    if (size <= 0 || size > max_build_id_bytes) return;
    static constexpr char digits[] = "0123456789abcdef";
    for (ssize_t i = 0; i < size; ++i) {
      const auto byte = static_cast<const unsigned char*>(bytes)[i];
      image_.build_id_ += digits[byte >> 4];
      image_.build_id_ += digits[byte & 15];
    }
  }

  Failure read_debug_link() {
    GElf_Word crc = 0;
    const char* name = dwelf_elf_gnu_debuglink(elf_.get(), &crc);
    if (name == nullptr || *name == '\0') return {};
    if (std::strchr(name, '/') != nullptr || std::strcmp(name, "..") == 0)
      return failure(os::ErrorKind::malformed, ".gnu_debuglink is not a plain file name");
    image_.debug_link_ = DebugLink{name, crc};
    return {};
  }

  static constexpr std::uint64_t max_offset = std::numeric_limits<std::int64_t>::max();
  static constexpr std::size_t max_symbols = 4'000'000;
  static constexpr ssize_t max_build_id_bytes = 64;

  Image& image_;
  ElfHandle elf_;
  std::uint64_t file_size_ = 0;
  std::uint64_t section_table_ = 0;
};

os::Result<Image> Image::open(os::UniqueFd file, std::string name) {
  return ImageReader::read(std::move(file), std::move(name));
}

os::Result<Image> Image::open(const std::string& path) {
  // O_NONBLOCK: if the path is a FIFO, open must not block.
  os::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    const auto kind = errno == ENOENT                     ? os::ErrorKind::not_found
                      : errno == EACCES || errno == EPERM ? os::ErrorKind::not_permitted
                                                          : os::ErrorKind::system;
    return os::Error{kind, path + ": " + std::generic_category().message(errno)};
  }
  return open(std::move(file), path);
}

os::Result<Image> Image::of(const os::Process& process) {
  auto file = process.open_executable();
  if (!file) return file.error();
  return open(std::move(*file), process.executable_path());
}

}  // namespace beam_exporter::elf
