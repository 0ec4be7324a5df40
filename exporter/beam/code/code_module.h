#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Bytes of a module that differ when another module takes its place.
struct Identity {
  os::Address at = 0;
  std::span<const std::byte> bytes;  // into the CodeModule
};
inline constexpr std::size_t most_identity_bytes = 256;

// One loaded instance of one module, with its functions by address. Made from the BeamCodeHeader at
// the start of its code range. It does not change while the module is loaded.
struct CodeModule {
  os::AddressRange range;
  std::vector<std::byte> header;  // BeamCodeHeader up to the function table, as read
  os::Address md5_at = 0;         // address of the module's MD5; 0 when there is none in the range
  std::array<std::byte, 16> md5{};
  std::vector<os::Address> starts;  // of each function's ErtsCodeInfo, ascending
  std::vector<Mfa> functions;       // functions[k] covers [starts[k], starts[k + 1] or code_end)
  os::Address code_end = 0;

  const Mfa* function_at(os::Address address) const;
  // The MD5 covers code, names and literals (beam_file.c, OTP 25 and 27). Where there is no MD5,
  // the header: two similar modules at the same place may have equal headers.
  Identity identity() const;
};

// nullopt when the module contradicts itself: counts out of bounds, functions outside the range or
// out of order, names that are not atoms, functions with different module names.
std::optional<CodeModule> read_code_module(const Layout& layout, const os::Memory& memory,
                                           os::AddressRange range);

}  // namespace beam_exporter::beam
