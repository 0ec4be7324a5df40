#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "os/memory/memory.h"

namespace beam_exporter::tests {

// Passes every read on and counts it. Notes the places by who reads them, when it is told who does.
// Reads fail when there were `most_reads`, so that a reader without an end of its own ends too.
class ReadLog final : public os::Memory {
 public:
  explicit ReadLog(const os::Memory& source, std::uint64_t most_reads = ~std::uint64_t{0})
      : source_(&source), most_reads_(most_reads) {}

  [[nodiscard]] bool read(os::Address from, std::span<std::byte> into) const override {
    if (reads_ >= most_reads_) return false;
    ++reads_;
    bytes_ += into.size();
    largest_ = std::max<std::uint64_t>(largest_, into.size());
    const bool ok = source_->read(from, into);
    if (ok && !reader_.empty() && !into.empty()) {
      auto& places = places_[{reader_, kind_of(into.size())}];
      places.push_back({from, from + into.size()});
    }
    return ok;
  }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t largest() const { return largest_; }  // bytes of one read

  // From now on places are noted as read by this one.
  void note_as(std::string reader) {
    readers_.push_back(reader);
    reader_ = std::move(reader);
  }
  // The places by reader and kind: reads of one size are mostly of one struct, so that ten thousand
  // functions are one kind, and the one table of processes is another.
  using Kind = std::pair<std::string, std::uint64_t>;
  using Places = std::map<Kind, std::vector<os::AddressRange>>;
  const Places& places() const { return places_; }
  const std::vector<std::string>& readers() const { return readers_; }

 private:
  // Structs by their exact size; texts and arrays by its magnitude.
  static std::uint64_t kind_of(std::uint64_t size) {
    constexpr std::uint64_t largest_struct = 2048;
    return size % 8 == 0 && size <= largest_struct ? size : std::bit_ceil(size) + 1;
  }

  const os::Memory* source_;
  std::uint64_t most_reads_;
  std::string reader_;
  std::vector<std::string> readers_;
  mutable std::uint64_t reads_ = 0, bytes_ = 0, largest_ = 0;
  mutable Places places_;
};

}  // namespace beam_exporter::tests
