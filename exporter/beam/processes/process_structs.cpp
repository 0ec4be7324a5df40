#include "beam/processes/process_structs.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t batch_bytes = 1 << 20, most_pieces = 1024;
// Two structs with a smaller gap between them are read in one piece.
constexpr std::uint64_t widest_gap = 1024;

}  // namespace

ProcessStructs::ProcessStructs(const os::Memory& memory, std::uint32_t size)
    : memory_(&memory), size_(size), buffer_(batch_bytes + size) {}

std::size_t ProcessStructs::collect(std::span<const ProcessTable::Used> used) {
  requests_.clear();
  places_.clear();
  std::size_t filled = 0;
  for (const auto& [slot, process] : used) {
    const os::Address end = requests_.empty() ? 0 : piece_end();
    const bool beside = end != 0 && process >= end && process - end <= widest_gap;
    const std::size_t more = beside ? process - end + size_ : size_;
    if (filled + more > buffer_.size() || (!beside && requests_.size() == most_pieces)) break;
    if (beside)
      requests_.back().into = std::span(buffer_).subspan(filled - requests_.back().into.size(),
                                                         requests_.back().into.size() + more);
    else
      requests_.push_back({process, std::span(buffer_).subspan(filled, more)});
    filled += more;
    places_.push_back({requests_.size() - 1, requests_.back().into.size() - size_});
  }
  return places_.size();
}

std::span<const std::byte> ProcessStructs::struct_at(os::Address process, const Place& place) {
  const auto& piece = requests_[place.piece];
  const auto bytes = piece.into.subspan(place.offset, size_);
  if (piece.ok) return bytes;
  ++reads_;
  return memory_->read(process, bytes) ? bytes : std::span<std::byte>();
}

}  // namespace beam_exporter::beam
