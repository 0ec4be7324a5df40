#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::tests {

// Memory that a unit test makes. Only the bytes that the test has put are readable, exactly to the
// byte. Addresses are those of the fake target. One thread.
class FakeMemory final : public os::Memory {
 public:
  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const override;

  void put_bytes(os::Address at, std::span<const std::byte> bytes);
  void put_text(os::Address at, std::string_view text);
  void put_zeros(os::Address at, std::size_t bytes);
  void forget(os::Address at, std::size_t bytes);

  template <class T>
  void put(os::Address at, T value) {
    put_bytes(at, std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  void put_array(os::Address at, const std::vector<T>& values) {
    put_bytes(at, std::as_bytes(std::span(values)));
  }
  // Puts a member of the struct at `object`, in its width in that release. Does nothing when the
  // release has no such member.
  template <class T>
  void put(os::Address object, beam::Field<T> field, std::type_identity_t<T> value) {
    if (field.present())
      put_bytes(field.at(object), std::as_bytes(std::span(&value, 1)).first(field.width));
  }

  // All bytes, as pieces of adjoining bytes in ascending order.
  struct Piece {
    os::Address begin = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<Piece> pieces() const;

  // Called before each read with its address and size: it can change the memory as a VM would.
  std::function<void(os::Address from, std::size_t bytes)> before_read;
  std::size_t reads() const { return reads_; }

 private:
  static constexpr std::size_t page_bytes = 4096;
  struct Page {
    std::array<std::byte, page_bytes> bytes{};
    std::array<char, page_bytes> there{};  // for each byte: 1 where the test has put one
  };

  std::map<os::Address, Page> pages_;
  mutable std::size_t reads_ = 0;
};

}  // namespace beam_exporter::tests
