#include "fakes/small_elf.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <stdexcept>

namespace beam_exporter::tests {

namespace {

class Bytes {
 public:
  std::uint64_t append(std::span<const std::byte> more) {
    bytes_.resize((bytes_.size() + 7) & ~std::size_t{7});
    const auto at = bytes_.size();
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return at;
  }
  template <class T>
  std::uint64_t append_array(const std::vector<T>& values) {
    return append(std::as_bytes(std::span(values)));
  }
  void overwrite(std::size_t at, std::span<const std::byte> bytes) {
    std::memcpy(bytes_.data() + at, bytes.data(), bytes.size());
  }
  std::span<const std::byte> all() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Elf64_Shdr section(std::uint32_t name, std::uint32_t type, std::uint64_t at, std::uint64_t size) {
  Elf64_Shdr header{};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_offset = at;
  header.sh_size = size;
  header.sh_addralign = 1;
  return header;
}

}  // namespace

os::UniqueFd SmallElf::file() const {
  Bytes out;
  Elf64_Ehdr header{};
  out.append(std::as_bytes(std::span(&header, 1)));

  std::vector<Elf64_Phdr> program;
  for (const auto& segment : segments) {
    Elf64_Phdr entry{};
    entry.p_type = PT_LOAD;
    entry.p_flags = PF_R | (segment.writable ? PF_W : 0U) | (segment.executable ? PF_X : 0U);
    entry.p_vaddr = entry.p_paddr = segment.addresses.begin;
    entry.p_memsz = segment.addresses.size();
    entry.p_filesz = segment.content.size();
    entry.p_offset = out.append(segment.content);
    program.push_back(entry);
  }
  const auto program_at = out.append_array(program);

  std::string names(1, '\0');
  std::vector<Elf64_Sym> table(1);
  for (const auto& symbol : symbols) {
    Elf64_Sym entry{};
    entry.st_name = static_cast<std::uint32_t>(names.size());
    entry.st_info = ELF64_ST_INFO(STB_GLOBAL, symbol.is_function ? STT_FUNC : STT_OBJECT);
    entry.st_shndx = SHN_ABS;
    entry.st_value = symbol.value;
    entry.st_size = symbol.size;
    table.push_back(entry);
    names += symbol.name + '\0';
  }
  const auto table_at = out.append_array(table);
  const auto names_at = out.append(std::as_bytes(std::span(names)));
  std::string section_names = std::string("\0.dynsym\0.dynstr\0.shstrtab\0", 27);
  const auto own_names = section_names.size();
  for (const auto& each : sections) section_names += each.name + '\0';
  const auto section_names_at = out.append(std::as_bytes(std::span(section_names)));

  std::vector<Elf64_Shdr> headers(1);
  headers.push_back(section(1, SHT_DYNSYM, table_at, table.size() * sizeof(Elf64_Sym)));
  headers.back().sh_entsize = sizeof(Elf64_Sym);
  headers.back().sh_link = 2;
  headers.back().sh_info = 1;
  headers.push_back(section(9, SHT_STRTAB, names_at, names.size()));
  headers.push_back(section(17, SHT_STRTAB, section_names_at, section_names.size()));
  auto name_at = static_cast<std::uint32_t>(own_names);
  for (const auto& each : sections) {
    headers.push_back(section(name_at, SHT_PROGBITS, 0, each.addresses.size()));
    headers.back().sh_addr = each.addresses.begin;
    headers.back().sh_flags = SHF_ALLOC;
    for (std::size_t k = 0; k < segments.size(); ++k)
      if (segments[k].addresses.contains(each.addresses.begin))
        headers.back().sh_offset =
            program[k].p_offset + each.addresses.begin - segments[k].addresses.begin;
    name_at += static_cast<std::uint32_t>(each.name.size() + 1);
  }
  const auto sections_at = out.append_array(headers);

  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<std::uint16_t>(program.size());
  header.e_phoff = program_at;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(headers.size());
  header.e_shoff = sections_at;
  header.e_shstrndx = 3;
  out.overwrite(0, std::as_bytes(std::span(&header, 1)));

  os::UniqueFd fd(::memfd_create("small-elf", MFD_CLOEXEC));
  const auto all = out.all();
  if (!fd || ::write(fd.get(), all.data(), all.size()) != static_cast<ssize_t>(all.size()))
    throw std::runtime_error("cannot write an ELF file into memory");
  return fd;
}

std::vector<std::byte> unwind_table(const std::vector<os::AddressRange>& functions) {
  std::vector<std::byte> out;
  const auto put = [&](auto value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  // A CIE of version 1 without augmentation, so that its FDEs have whole addresses; code alignment
  // 1, data alignment -8, return address in column 16.
  put(std::uint32_t{12});
  put(std::uint32_t{0});
  for (const unsigned byte : {1U, 0U, 1U, 0x78U, 16U, 0U, 0U, 0U})
    put(static_cast<std::uint8_t>(byte));
  for (const auto& function : functions) {
    put(std::uint32_t{20});
    put(static_cast<std::uint32_t>(out.size()));  // back to the CIE
    put(function.begin);
    put(function.size());
  }
  put(std::uint32_t{0});
  return out;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

}  // namespace beam_exporter::tests
