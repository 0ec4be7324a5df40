#pragma once

#include <array>
#include <optional>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// One field of the struct at `object`, with its own read.
template <class T>
std::optional<T> read_field(const os::Memory& memory, os::Address object, Field<T> field) {
  if (!field.present() || field.width > sizeof(T)) return std::nullopt;
  const auto from = os::checked_add(object, field.offset);
  T out{};
  if (!from || !memory.read(*from, os::bytes_of(out).first(field.width))) return std::nullopt;
  return out;
}

// The whole struct at `object` in one read; wrap it in StructBytes to take fields.
inline std::optional<std::vector<std::byte>> read_struct(const os::Memory& memory,
                                                         os::Address object, std::uint32_t size) {
  std::vector<std::byte> bytes(size);
  if (object == 0 || !memory.read(object, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace beam_exporter::beam
