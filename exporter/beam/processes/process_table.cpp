#include "beam/processes/process_table.h"

#include <algorithm>
#include <bit>

#include "beam/layout/remote_struct.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

// ERTS_PTAB_MAX_SIZE is 2^27 (erl_ptab.h, OTP 25 and 27): a bound for what a torn value makes us
// read.
constexpr std::uint32_t largest_table = 1u << 27;
// read_all() keeps at most this many used slots at a time (32 MiB), whatever the table says.
constexpr std::size_t most_gathered = std::size_t{1} << 21;
// It checks whether all processes are found only while more than this many unread slots are left
// per found process.
constexpr std::uint64_t worth_counting = 64;

}  // namespace

std::optional<ProcessTable> ProcessTable::open(const Layout& layout, const os::Memory& memory,
                                               os::Address place) {
  const auto& at = layout.process_table;
  const auto bytes = read_struct(memory, place, at.size);
  if (!bytes) return std::nullopt;
  const StructBytes fields(*bytes);
  const auto tab = fields.get(at.tab), reserved = fields.get(at.invalid_element);
  const auto max = fields.get(at.max);
  const auto mask = fields.get(at.pix_mask);
  if (!tab || !reserved || !max || !mask || !fields.get(at.count) || !std::has_single_bit(*max) ||
      *max > largest_table || *mask != *max - 1 ||
      !os::checked_add(*tab, std::uint64_t{*max} * sizeof(os::Address)))
    return std::nullopt;
  ProcessTable table(memory, at.count.at(place), at.count.width);
  table.slots_at_ = *tab;
  table.reserved_ = *reserved;
  table.mask_ = *mask;
  // pix_mask is 4 bytes wide where the slot is the upper half of an id.
  table.slot_in_upper_half_ = at.pix_mask.width == 4;
  return table;
}

bool ProcessTable::read_piece(std::uint64_t piece, std::vector<Used>& used) {
  used.clear();
  const std::uint64_t first = piece * slots_per_piece;
  if (first > mask_) return false;
  piece_.resize(std::min(slots_per_piece, mask_ + 1 - first));
  if (!memory_->read(slots_at_ + first * sizeof(os::Address),
                     std::as_writable_bytes(std::span(piece_))))
    return false;
  for (std::uint64_t k = 0; k < piece_.size(); ++k)
    if (piece_[k] != 0 && piece_[k] != reserved_) used.push_back({first + k, piece_[k]});
  return true;
}

bool ProcessTable::read_all(std::size_t together,
                            const std::function<void(std::span<const Used>)>& take) {
  std::vector<Used> gathered, piece;
  const auto hand_over = [&] {
    std::ranges::sort(gathered, {}, &Used::process);
    for (std::span<const Used> left(gathered); !left.empty();
         left = left.subspan(std::min(left.size(), together)))
      take(left.first(std::min(left.size(), together)));
    gathered.clear();
  };
  gathered.reserve(std::min<std::size_t>(count().value_or(0), most_gathered));
  for (std::uint64_t k = 0; k < pieces(); ++k) {
    if (!read_piece(k, piece)) return false;
    if (gathered.size() + piece.size() > most_gathered) hand_over();
    gathered.insert(gathered.end(), piece.begin(), piece.end());
    // Most of a large table has never been used.
    const std::uint64_t left = (pieces() - k - 1) * slots_per_piece;
    if (gathered.size() * worth_counting < left && are_all(gathered)) break;
  }
  hand_over();
  return true;
}

void ProcessTable::look_again(std::span<Used> used) const {
  std::vector<os::ReadRequest> requests;
  requests.reserve(used.size());
  for (auto& [slot, process] : used)
    requests.push_back({slots_at_ + slot * sizeof(os::Address), os::bytes_of(process)});
  memory_->read_batch(requests);
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!requests[k].ok || used[k].process == reserved_) used[k].process = 0;
}

// The VM counts a process before it fills the slot, and until after it has emptied the slot. So if
// the count equals the number of these slots, and all are still there, there was no other process.
bool ProcessTable::are_all(std::span<const Used> used) const {
  const std::uint64_t reserved_slots = mask_ + 1 == largest_table ? 1 : 0;
  if (count() != used.size() + reserved_slots) return false;
  std::vector<Used> now(used.begin(), used.end());
  look_again(now);
  return std::ranges::equal(now, used, {}, &Used::process, &Used::process);
}

std::optional<std::uint32_t> ProcessTable::count() const {
  std::uint32_t count = 0;
  if (!memory_->read(count_at_, os::bytes_of(count).first(count_width_))) return std::nullopt;
  return count;
}

bool ProcessTable::owns(std::uint64_t slot, Eterm id) const {
  return is_internal_pid(id) && ((slot_in_upper_half_ ? id >> 32 : id >> 4) & mask_) == slot;
}

}  // namespace beam_exporter::beam
