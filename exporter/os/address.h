#pragma once

#include <cstdint>
#include <optional>

namespace beam_exporter::os {

// An address in the target's address space; never one of ours.
using Address = std::uint64_t;

// Half open: [begin, end).
struct AddressRange {
  Address begin = 0;
  Address end = 0;

  std::uint64_t size() const { return end > begin ? end - begin : 0; }
  bool contains(Address address) const { return begin <= address && address < end; }
  bool contains(Address address, std::uint64_t bytes) const {
    return contains(address) && bytes <= end - address;
  }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

// Remote numbers are rumours: a sum that wraps is no address.
inline std::optional<Address> checked_add(Address base, std::uint64_t offset) {
  Address sum = 0;
  if (__builtin_add_overflow(base, offset, &sum)) return std::nullopt;
  return sum;
}

}  // namespace beam_exporter::os
