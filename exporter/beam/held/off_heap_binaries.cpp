#include "beam/held/off_heap_binaries.h"

#include <algorithm>

#include "beam/held/struct_batch.h"

namespace beam_exporter::beam {

namespace {

// erl_term.h: the subtags REFC_BINARY_SUBTAG (OTP 25) and BIN_REF_SUBTAG (OTP 27). A header word
// has the words behind it in the bits above (_make_header).
constexpr Eterm proc_bin_tag = 0x8 << 2, bin_ref_tag = 0xa << 2;
Eterm header_of(std::uint32_t struct_bytes, Eterm tag) {
  return ((Eterm{struct_bytes} / 8 - 1) << 6) | tag;
}

constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20;       // of one process
constexpr std::uint64_t most_list_reads = std::uint64_t{1} << 23;  // of all
// User space is not larger: neither is a binary, or the sum of all.
constexpr std::uint64_t most_binary_bytes = std::uint64_t{1} << 47;

template <class T>
std::uint32_t end_of(const Field<T>& field) {
  return field.present() ? field.offset + field.width : 0;
}

}  // namespace

OffHeapBinaries::OffHeapBinaries(const Layout& layout, const os::Memory& memory)
    : layout_(&layout), memory_(&memory) {
  const auto take = [&](const auto& at, Eterm tag) {
    header_ = at.header;
    next_ = at.next;
    binary_ = at.binary;
    binary_header_ = header_of(at.size, tag);
    node_bytes_ = std::max({end_of(header_), end_of(next_), end_of(binary_)});
  };
  if (layout.bin_ref.size != 0)
    take(layout.bin_ref, bin_ref_tag);
  else if (layout.proc_bin.size != 0)
    take(layout.proc_bin, proc_bin_tag);
  known_ = header_.present() && next_.present() && binary_.present() &&
           layout.binary.bytes.present() && layout.process.off_heap.present() &&
           layout.process.fragments.present() && layout.heap_fragment.next.present() &&
           layout.heap_fragment.off_heap.present();
}

void OffHeapBinaries::add(std::size_t index, StructBytes process) {
  if (!known_) return;
  owners_.push_back({index, {}, 0});
  const std::size_t owner = owners_.size() - 1;
  push(nodes_, owner, process.get(layout_->process.off_heap));
  // OTP 24 has these among the others.
  if (layout_->process.writable_binaries.present())
    push(nodes_, owner, process.get(layout_->process.writable_binaries));
  push(fragments_, owner, process.get(layout_->process.fragments));
}

bool OffHeapBinaries::may_follow(Owner& owner) {
  const bool may = owner.followed < most_nodes && reads_ < most_list_reads;
  if (!may) owner.held.whole = false;
  ++owner.followed;
  ++reads_;
  return may;
}

void OffHeapBinaries::push(std::vector<Place>& places, std::size_t owner,
                           std::optional<os::Address> at) {
  if (!at || *at % 8 != 0)
    owners_[owner].held.torn = true;
  else if (*at != 0 && may_follow(owners_[owner]))
    places.push_back({owner, *at});
}

void OffHeapBinaries::follow(std::vector<Place>& places, std::uint32_t size, const Step& step) {
  std::vector<Place> now;
  std::vector<os::Address> at;
  while (!places.empty()) {
    now.swap(places);
    places.clear();
    at.clear();
    for (const auto& place : now) at.push_back(place.at);
    read_structs(*memory_, at, size, [&](std::size_t k, std::span<const std::byte> bytes) {
      step(now[k], StructBytes(bytes));
    });
  }
}

void OffHeapBinaries::finish(const std::function<void(std::size_t, const Amount&)>& take) {
  const auto& fragment = layout_->heap_fragment;
  follow(fragments_, fragment.size, [&](const Place& place, StructBytes bytes) {
    push(nodes_, place.owner, bytes.get(fragment.off_heap));
    push(fragments_, place.owner, bytes.get(fragment.next));
  });
  follow(nodes_, node_bytes_, [&](const Place& place, StructBytes bytes) {
    push(nodes_, place.owner, bytes.get(next_));
    if (bytes.get(header_) == binary_header_)
      binaries_.push_back({place.owner, bytes.get(binary_).value_or(0)});
  });
  read_sizes();
  for (const auto& owner : owners_) take(owner.index, owner.held);
  owners_.clear();
}

void OffHeapBinaries::read_sizes() {
  std::ranges::sort(binaries_);
  binaries_.erase(std::unique(binaries_.begin(), binaries_.end()), binaries_.end());
  std::vector<os::Address> at;
  at.reserve(binaries_.size());
  for (const auto& binary : binaries_) at.push_back(binary.at);
  const auto& size = layout_->binary.bytes;
  read_structs(*memory_, at, end_of(size), [&](std::size_t k, std::span<const std::byte> bytes) {
    auto& held = owners_[binaries_[k].owner].held;
    const auto found = StructBytes(bytes).get(size);
    const auto bytes_of_it = static_cast<std::uint64_t>(found.value_or(-1));
    if (bytes_of_it > most_binary_bytes - held.bytes)
      held.torn = true;
    else
      held.bytes += bytes_of_it;
  });
  binaries_.clear();
}

}  // namespace beam_exporter::beam
