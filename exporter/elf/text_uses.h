#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "elf/image.h"
#include "elf/native_symbols.h"

namespace beam_exporter::elf {

// Which functions of a file use which texts: code that takes the address of a text (x86-64
// `lea text(%rip), register`) tells what a function without a symbol is. One thread.
class TextUses {
 public:
  // Reads .rodata and .text. `symbols` must outlive this object. A file without these sections, or
  // with a section of more than 256 MiB, has no texts.
  TextUses(const Image& image, const NativeSymbols& symbols);

  // The functions that use this text, by their first byte. `text` is everything up to its NUL. A
  // part that the compiler moved out of its function counts as that function, if no code calls the
  // part and only one function jumps into it.
  std::set<std::uint64_t> functions_with(std::string_view text) const;

 private:
  struct Use {
    std::uint64_t text = 0, code = 0;  // addresses
  };
  template <class See>
  void each_operand(const See& see) const;
  bool stands_at(std::uint64_t place, std::string_view text) const;
  bool is_called(std::uint64_t place) const;
  std::uint64_t whole_function(const NativeFunction& user) const;

  const NativeSymbols* symbols_;
  SectionBytes constants_, code_;
  std::vector<Use> uses_;
  std::vector<bool> called_;  // for each byte of the code, whether some call leads there
};

}  // namespace beam_exporter::elf
