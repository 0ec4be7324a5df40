#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "os/address.h"

// A typed place inside an ERTS struct, and the bytes of such a struct. Used by layout.h and the
// headers it is made of, and by all code that reads through a Layout. Values only; any thread.
namespace beam_exporter::beam {

using Eterm = std::uint64_t;

// A member: where it is, how wide it is there, and (T) how we hold it. Width may differ between
// releases (ErtsPTab.r.o.pix_mask: 4 bytes in OTP 25, 8 in OTP 27); T is at least as wide.
template <class T>
struct Field {
  static constexpr std::uint32_t absent = ~std::uint32_t{0};
  std::uint32_t offset = absent;
  std::uint32_t width = 0;

  bool present() const { return offset != absent; }
  os::Address at(os::Address object) const { return object + offset; }
  friend bool operator==(const Field&, const Field&) = default;
};

// The bytes of one remote struct, fetched at one moment; callers name the field, never a number.
class StructBytes {
 public:
  explicit StructBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // nullopt when the field is absent in this release or lies outside the bytes.
  template <class T>
  std::optional<T> get(Field<T> field) const {
    if (!field.present() || field.width > sizeof(T) || field.width > bytes_.size() ||
        field.offset > bytes_.size() - field.width)
      return std::nullopt;
    T out{};
    std::memcpy(&out, bytes_.data() + field.offset, field.width);  // little endian: zero-extends
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace beam_exporter::beam
