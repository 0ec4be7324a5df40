#include "elf/function_bounds.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "elf/elf_handle.h"

namespace beam_exporter::elf {

namespace {

// How a pointer in .eh_frame is written (LSB Core, 10.5 Exception Frames; DW_EH_PE_*).
struct Encoding {
  std::uint8_t code = DW_EH_PE_absptr;
  std::uint8_t format() const { return code & 0x0f; }
  std::uint8_t base() const { return code & 0x70; }
};

std::size_t width(Encoding encoding) {
  switch (encoding.format()) {
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
      return 2;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
      return 4;
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return 8;
    default:
      return 0;  // LEB128: not used for these pointers
  }
}

// The number at the front of `bytes`, sign-extended where the format is signed.
std::optional<std::uint64_t> number(std::span<const std::uint8_t>& bytes, Encoding encoding) {
  const std::size_t size = width(encoding);
  if (size == 0 || bytes.size() < size) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), size);
  bytes = bytes.subspan(size);
  const bool is_signed = (encoding.code & 0x08) != 0;
  const auto unused = static_cast<int>(64 - 8 * size);
  if (is_signed && unused > 0)
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
  return value;
}

// The letters of a CIE's augmentation say what its data holds: L one byte, P an encoding and a
// pointer, R the encoding of the addresses in its FDEs.
std::optional<Encoding> address_encoding(const Dwarf_CIE& cie) {
  std::string_view letters(cie.augmentation);
  if (!letters.starts_with('z')) return letters.empty() ? std::optional(Encoding{}) : std::nullopt;
  std::span<const std::uint8_t> data(cie.augmentation_data, cie.augmentation_data_size);
  for (const char letter : letters.substr(1)) {
    if (letter == 'S' || letter == 'B') continue;
    if (data.empty()) return std::nullopt;
    const Encoding encoding{data.front()};
    data = data.subspan(1);
    if (letter == 'R') return encoding;
    if (letter == 'P' && !number(data, encoding)) return std::nullopt;
    if (letter != 'P' && letter != 'L') return std::nullopt;
  }
  return Encoding{};
}

std::optional<os::AddressRange> bounds(const Dwarf_FDE& fde, Encoding encoding, os::Address section,
                                       const std::uint8_t* section_data) {
  std::span<const std::uint8_t> bytes(fde.start, fde.end);
  const os::Address place = section + static_cast<std::uint64_t>(fde.start - section_data);
  auto begin = number(bytes, encoding);
  // The length has the same format, unsigned and relative to nothing.
  const auto size = number(bytes, Encoding{static_cast<std::uint8_t>(encoding.format() & 0x07)});
  if (!begin || !size || *size == 0) return std::nullopt;
  if (encoding.base() == DW_EH_PE_pcrel)
    *begin += place;
  else if (encoding.base() != DW_EH_PE_absptr)
    return std::nullopt;
  if (*begin + *size < *begin) return std::nullopt;
  return os::AddressRange{*begin, *begin + *size};
}

}  // namespace

std::vector<os::AddressRange> function_bounds(const Image& image) {
  auto section = image.section_bytes(".eh_frame");
  const ElfHandle elf = open_elf(image.descriptor());
  if (section.bytes.empty() || !elf) return {};
  std::size_t ident_size = 0;
  const auto* ident = reinterpret_cast<const unsigned char*>(elf_getident(elf.get(), &ident_size));
  if (ident == nullptr || ident_size < EI_NIDENT) return {};

  Elf_Data data{};
  data.d_buf = section.bytes.data();
  data.d_size = section.bytes.size();
  data.d_type = ELF_T_BYTE;
  data.d_version = EV_CURRENT;

  const auto* first = reinterpret_cast<const std::uint8_t*>(section.bytes.data());
  std::vector<os::AddressRange> found;
  std::map<Dwarf_Off, std::optional<Encoding>> encodings;  // by offset of the CIE
  Dwarf_Off offset = 0, next = 0;
  Dwarf_CFI_Entry entry;
  while (dwarf_next_cfi(ident, &data, true, offset, &next, &entry) == 0 && next > offset) {
    if (dwarf_cfi_cie_p(&entry)) {
      encodings[offset] = address_encoding(entry.cie);
    } else if (const auto known = encodings.find(entry.fde.CIE_pointer);
               known != encodings.end() && known->second) {
      if (const auto range = bounds(entry.fde, *known->second, section.begin, first))
        found.push_back(*range);
    }
    offset = next;
  }
  std::ranges::sort(found, {}, &os::AddressRange::begin);
  return found;
}

}  // namespace beam_exporter::elf
