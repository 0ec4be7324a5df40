#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "os/address.h"
#include "os/unique_fd.h"

namespace beam_exporter::tests {

// An executable with only segments and dynamic symbols: the part of beam.smp that the exporter
// reads. For VMs without a file (fakes and recordings).
struct SmallElf {
  struct Piece {
    os::AddressRange addresses;
    bool writable = false;
    bool executable = false;
    std::vector<std::byte> content;  // its initialised first part
  };
  struct Symbol {
    std::string name;
    os::Address value = 0;
    std::uint64_t size = 0;
    bool is_function = false;
  };
  std::vector<Piece> segments;
  std::vector<Symbol> symbols;

  // An unnamed file with this content (x86-64), for elf::Image::open().
  os::UniqueFd file() const;
};

// The characters of a text, as the content of a Piece.
std::vector<std::byte> bytes_of(const std::string& text);

}  // namespace beam_exporter::tests
