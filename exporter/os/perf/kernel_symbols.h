#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "os/address.h"

namespace beam_exporter::os {

// The functions of the running kernel and its modules, by address. Some 10 MiB: for tools that ask
// for kernel stacks. Immutable after it was read.
class KernelSymbols {
 public:
  // Empty without the right to see addresses: kernel_symbols_refusal() says which.
  static KernelSymbols read();
  // From text in the form of /proc/kallsyms; lines of another form are skipped.
  static KernelSymbols parse(std::istream& text);

  bool empty() const { return starts_.empty(); }
  // The function that has this address; "": not known. Valid as long as this object.
  std::string_view name_of(Address address) const;

 private:
  struct Start {
    Address address;
    std::uint32_t name;  // where it begins in `names_`; it ends at the next zero byte
  };
  std::vector<Start> starts_;  // by address; one for each address
  std::string names_;
};

// What lets us see the addresses of the kernel's functions, in one line.
std::string kernel_symbols_refusal();

}  // namespace beam_exporter::os
