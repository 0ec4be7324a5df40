#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

#include "os/address.h"

namespace beam_exporter::os {

// One piece of a scatter read. `ok` is set by Memory::read_batch.
struct ReadRequest {
  Address from = 0;
  std::span<std::byte> into;
  bool ok = false;
};

// The memory of another process: a live one (memory_choice.h), a recording of one, or a fake in a
// unit test. The target keeps running, so that two reads may disagree. Implementations are safe to
// call from one thread at a time; those of a live process from any.
class Memory {
 public:
  virtual ~Memory() = default;

  // Fills `into` wholly from `from`, or returns false and leaves its content unspecified.
  [[nodiscard]] virtual bool read(Address from, std::span<std::byte> into) const = 0;

  // Reads many pieces in as few system calls as possible. `ok` of each request says whether the
  // whole piece was read.
  virtual void read_batch(std::span<ReadRequest> requests) const {
    for (auto& request : requests) request.ok = read(request.from, request.into);
  }

  // A value of T at `from`; nullopt when it cannot be read.
  template <class T>
  [[nodiscard]] std::optional<T> value(Address from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T out;
    if (!read(from, std::as_writable_bytes(std::span(&out, 1)))) return std::nullopt;
    return out;
  }
};

// The bytes of one object or array, as a place to read into.
template <class T>
std::span<std::byte> bytes_of(T& object) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_writable_bytes(std::span(&object, 1));
}

}  // namespace beam_exporter::os
