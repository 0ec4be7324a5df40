#include "beam/layout/static_data.h"

#include <algorithm>

namespace beam_exporter::beam {

namespace {

// beam.smp has well under 1 MiB; more than this is not a file we understand.
constexpr std::uint64_t largest_segment = 64 << 20;
constexpr std::uint64_t read_unit = 4096;

}  // namespace

os::Result<StaticData> StaticData::read(const elf::Image& image, std::uint64_t bias,
                                        const os::Memory& memory) {
  StaticData data(image, bias);
  for (const auto& segment : image.segments()) {
    if (!segment.writable) continue;
    const os::Address begin = (segment.addresses.begin + bias + 7) & ~std::uint64_t{7};
    const os::Address end = (segment.addresses.end + bias) & ~std::uint64_t{7};
    if (begin >= end || end - begin > largest_segment) continue;
    if (data.words_.size() * 8 >= end - begin)
      continue;  // the largest writable segment is .data/.bss
    data.begin_ = begin;
    data.words_.assign((end - begin) / 8, 0);
  }
  if (data.words_.empty())
    return os::Error{os::ErrorKind::malformed, image.name() + " has no writable segment"};

  std::vector<os::ReadRequest> pages;
  const auto bytes = std::as_writable_bytes(std::span(data.words_));
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length =
        std::min<std::size_t>(read_unit - (data.begin_ + at) % read_unit, bytes.size() - at);
    pages.push_back({data.begin_ + at, bytes.subspan(at, length)});
    at += length;
  }
  memory.read_batch(pages);
  if (std::none_of(pages.begin(), pages.end(), [](const auto& p) { return p.ok; }))
    return os::Error{os::ErrorKind::unreadable,
                     "cannot read the VM's data segment (has the VM ended?)"};
  return data;
}

std::optional<os::Address> StaticData::symbol(std::string_view name) const {
  const auto place = range(name);
  return place ? std::optional(place->begin) : std::nullopt;
}

std::optional<os::AddressRange> StaticData::range(std::string_view name) const {
  if (const auto symbol = image_->symbol(name); symbol && symbol->value != 0) {
    const auto begin = os::checked_add(symbol->value, bias_);
    const auto end = begin ? os::checked_add(*begin, symbol->size) : std::nullopt;
    return end ? std::optional(os::AddressRange{*begin, *end}) : std::nullopt;
  }
  const auto told = told_.find(name);
  return told == told_.end() ? std::nullopt : std::optional(told->second);
}

}  // namespace beam_exporter::beam
