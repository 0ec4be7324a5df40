#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "os/address.h"
#include "os/unique_fd.h"

namespace beam_exporter::tests {

// An executable with only segments, dynamic symbols and named parts of the segments: the part of
// beam.smp that the exporter reads. For VMs without a file (fakes and recordings).
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
  struct Section {
    std::string name;
    os::AddressRange addresses;  // in one of the segments
  };
  std::vector<Piece> segments;
  std::vector<Symbol> symbols;
  std::vector<Section> sections;

  // An unnamed file with this content (x86-64), for elf::Image::open().
  os::UniqueFd file() const;
};

// The content of .eh_frame for functions at these addresses (LSB Core, 10.5 Exception Frames).
std::vector<std::byte> unwind_table(const std::vector<os::AddressRange>& functions);

// The characters of a text, as the content of a Piece.
std::vector<std::byte> bytes_of(const std::string& text);

}  // namespace beam_exporter::tests
