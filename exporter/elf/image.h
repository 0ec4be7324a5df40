#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "elf/symbol_table.h"
#include "os/address.h"
#include "os/process/process.h"
#include "os/result.h"
#include "os/unique_fd.h"

namespace beam_exporter::elf {

// One PT_LOAD: what the loader maps. Addresses are the file's own, before the load bias.
struct Segment {
  os::AddressRange addresses;  // the size in memory: .bss lies after file_size
  std::uint64_t file_offset = 0;
  std::uint64_t file_size = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
};

struct SectionBytes {
  os::Address begin = 0;  // before the load bias
  std::vector<std::byte> bytes;
  os::AddressRange range() const { return {begin, begin + bytes.size()}; }
};

// .gnu_debuglink: the name of the separate debug file and the CRC-32 of its content.
struct DebugLink {
  std::string file_name;
  std::uint32_t crc = 0;
};

// One 64-bit little-endian ELF executable or library. It is opened from a descriptor, so that
// deleted files and files in other mount namespaces can be read (/proc/PID/exe,
// /proc/PID/map_files/...). Made once per file, by the attach code, the layout command and the
// debug file search. The content is untrusted: whatever it is, the answer is a value or an
// os::Error (unreadable, malformed, unsupported). Immutable, any thread. Symbols and headers are
// copied; constants are read from the file.
class Image {
 public:
  // `name` is for error texts only.
  static os::Result<Image> open(os::UniqueFd file, std::string name);
  static os::Result<Image> open(const std::string& path);
  // The file that the process runs, even if another one has taken its name.
  static os::Result<Image> of(const os::Process& process);

  const std::string& name() const { return name_; }
  int descriptor() const { return file_.get(); }
  std::string_view arch() const { return arch_; }  // "x86_64", "aarch64", or "machine-N"
  // NT_GNU_BUILD_ID in lower case hex; empty when there is none.
  const std::string& build_id() const { return build_id_; }
  std::span<const Segment> segments() const { return segments_; }
  // Bounds of a section; nullopt when the file has no such section, or no section table at all.
  std::optional<os::AddressRange> section(std::string_view section_name) const;
  // The whole section. Empty when the file has no such section, or cannot be read there, or the
  // section has more than 256 MiB.
  SectionBytes section_bytes(std::string_view section_name) const;

  // The number to add to this file's addresses when its lowest segment is mapped at
  // `lowest_mapping`; nullopt when the file has no segment, or the number would be negative.
  std::optional<std::uint64_t> load_bias(os::Address lowest_mapping) const;

  // Stripped files have none: their .dynsym names exported symbols only.
  bool has_symbol_table() const { return has_symbol_table_; }
  // From now on this file has these symbols too: those of its .symtab, which `origin` holds. Those
  // that lie outside of its segments are left out. Call it before the image is shared.
  void add_symbol_table(const SymbolTable& symbols, std::string origin);
  // Where its symbol table was: empty for its own, and where it has none.
  const std::string& symbols_from() const { return symbols_from_; }
  // From .dynsym and .symtab.
  const SymbolTable& symbols() const { return symbols_; }
  std::optional<Symbol> symbol(std::string_view symbol_name) const {
    return symbols_.find(symbol_name);
  }
  // Every function that a symbol names. The names live as long as the image.
  std::vector<NamedSymbol> functions() const;

  // Reads the initial content at an address of the file; a .bss byte is 0. Fills all of `into`, or
  // fails.
  os::Status read(os::Address from, std::span<std::byte> into) const;
  // Reads the first bytes of a data symbol. Errors: not_found; malformed when the symbol is smaller
  // than `into`.
  os::Status read_constant(std::string_view symbol_name, std::span<std::byte> into) const;
  template <class T>
  std::optional<T> constant(std::string_view symbol_name) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T out;
    if (!read_constant(symbol_name, std::as_writable_bytes(std::span(&out, 1))))
      return std::nullopt;
    return out;
  }
  // A char[] symbol up to its NUL; nullopt when absent, longer than 255 bytes, or not terminated.
  std::optional<std::string> text_constant(std::string_view symbol_name) const;

  // True when this file itself has a .debug_info that is not empty.
  bool has_debug_info() const { return has_debug_info_; }
  const std::optional<DebugLink>& debug_link() const { return debug_link_; }

 private:
  friend class ImageReader;
  struct NamedSection {
    std::string name;
    os::AddressRange addresses;
  };

  Image() = default;
  bool holds(const Symbol& symbol) const;

  os::UniqueFd file_;
  std::string name_;
  std::string arch_;
  std::string build_id_;
  std::vector<Segment> segments_;
  std::vector<NamedSection> sections_;
  SymbolTable symbols_;
  std::string symbols_from_;
  bool has_debug_info_ = false, has_symbol_table_ = false;
  std::optional<DebugLink> debug_link_;
};

}  // namespace beam_exporter::elf
