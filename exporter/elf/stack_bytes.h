#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "os/address.h"

namespace beam_exporter::elf {

// The bytes of a thread's stack as they were at the sampled instant.
struct StackBytes {
  os::Address begin = 0;
  std::span<const std::byte> bytes;

  // nullopt outside of the captured bytes.
  std::optional<std::uint64_t> word(os::Address address) const {
    if (address < begin) return std::nullopt;
    const std::uint64_t at = address - begin;
    if (at > bytes.size() || bytes.size() - at < sizeof(std::uint64_t)) return std::nullopt;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  }
};

}  // namespace beam_exporter::elf
