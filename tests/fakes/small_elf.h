#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "os/address.h"
#include "os/unique_fd.h"

namespace beam_exporter::tests {

// An executable of segments and dynamic symbols and nothing else: the part of beam.smp that the
// exporter reads, for VMs that have no file (fakes and recordings).
struct SmallElf {
  struct Piece {
    os::AddressRange addresses;
    bool writable = false;
    bool executable = false;
    std::vector<std::byte> content;  // the initialised front of it
  };
  struct Symbol {
    std::string name;
    os::Address value = 0;
    std::uint64_t size = 0;
    bool is_function = false;
  };
  std::vector<Piece> segments;
  std::vector<Symbol> symbols;

  // An unnamed file of this content (x86-64), ready for elf::Image::open().
  os::UniqueFd file() const;
};

}  // namespace beam_exporter::tests
