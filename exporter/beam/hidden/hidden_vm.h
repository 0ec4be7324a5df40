#pragma once

#include <optional>
#include <string>

#include "beam/layout/layout.h"
#include "beam/layout/static_data.h"
#include "elf/image.h"
#include "os/memory/memory.h"
#include "os/memory/memory_map.h"

namespace beam_exporter::beam {

// What the searches of this folder look at. All must outlive them.
struct HiddenVm {
  const Layout& layout;
  const elf::Image& image;
  std::uint64_t bias;  // what the loader added to the image's addresses
  const StaticData& data;
  const os::Memory& memory;
  const os::MemoryMap& map;
};

// What only the code that runs Erlang functions tells: the shared code of the JIT, or the
// interpreter.
struct CodeGlobals {
  std::optional<os::AddressRange> process_main;  // of an interpreter
  std::optional<os::Address> active_code_index;  // the_active_code_index
  std::optional<os::Address> schedule;           // the function erts_schedule
};

// Where the code of an executable is in the VM; empty when it has none.
os::AddressRange code_of(const elf::Image& image, std::uint64_t bias);

// The C string at an address among the executable's constants; nullopt when it lies elsewhere, or
// is longer than 31 bytes.
std::optional<std::string> constant_text(const HiddenVm& vm, os::Address at);

}  // namespace beam_exporter::beam
