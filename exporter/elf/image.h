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

struct Symbol {
  os::Address value = 0;  // before the load bias
  std::uint64_t size = 0;
  bool is_function = false;  // STT_FUNC or STT_GNU_IFUNC
  bool in_code = false;      // lies in an executable section
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
  // From now on this file has the symbols of its debug file too. Call it before it is shared.
  void add_symbols(const Image& debug_file);
  // From .dynsym and .symtab; a global symbol hides a local one of the same name.
  std::optional<Symbol> symbol(std::string_view symbol_name) const;
  std::size_t symbol_count() const { return symbols_.size(); }
  struct NamedFunction {
    std::string_view name;  // lives as long as the image
    bool local = false;     // STB_LOCAL: no other file sees it
    Symbol symbol;
  };
  std::vector<NamedFunction> functions() const;  // every function that a symbol names

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
  struct NamedSymbol {
    std::uint32_t name_begin = 0;  // into symbol_names_
    std::uint32_t name_size = 0;
    bool local = false;
    Symbol symbol;
  };
  struct NamedSection {
    std::string name;
    os::AddressRange addresses;
  };

  Image() = default;
  std::string_view name_of(const NamedSymbol& symbol) const;
  void add_symbol(NamedSymbol entry, std::string_view symbol_name);
  void sort_symbols();

  os::UniqueFd file_;
  std::string name_;
  std::string arch_;
  std::string build_id_;
  std::vector<Segment> segments_;
  std::vector<NamedSection> sections_;
  std::string symbol_names_;
  std::vector<NamedSymbol> symbols_;  // sorted by name
  bool has_debug_info_ = false, has_symbol_table_ = false;
  std::optional<DebugLink> debug_link_;
};

}  // namespace beam_exporter::elf
