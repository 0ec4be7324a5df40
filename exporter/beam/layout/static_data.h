#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/result.h"

namespace beam_exporter::beam {

// The executable's own writable data (.data and .bss) in the running VM: where the tables are, by
// symbol when .dynsym has it, else to be found by structure in `words()`.
class StaticData {
 public:
  // `bias` is what the loader added to the file's addresses. Reads the whole segment once (350 KB
  // in OTP 25). Error: unreadable.
  static os::Result<StaticData> read(const elf::Image& image, std::uint64_t bias,
                                     const os::Memory& memory);

  // Address in the VM of a symbol of the executable, or of what tell() said of it.
  std::optional<os::Address> symbol(std::string_view name) const;
  // The same with its size; an empty range when that is not known.
  std::optional<os::AddressRange> range(std::string_view name) const;
  // The place of a global for which the executable has no symbol.
  void tell(std::string name, os::AddressRange place) { told_[std::move(name)] = place; }

  // 8-byte words from `begin()` on, as they were when read; pages never touched read as zero.
  const std::vector<std::uint64_t>& words() const { return words_; }
  os::Address begin() const { return begin_; }
  os::Address address_of(std::size_t word) const { return begin_ + word * sizeof(std::uint64_t); }

 private:
  explicit StaticData(const elf::Image& image, std::uint64_t bias) : image_(&image), bias_(bias) {}

  const elf::Image* image_;
  std::uint64_t bias_;
  os::Address begin_ = 0;
  std::vector<std::uint64_t> words_;
  std::map<std::string, os::AddressRange, std::less<>> told_;
};

}  // namespace beam_exporter::beam
