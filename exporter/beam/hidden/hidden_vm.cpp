#include "beam/hidden/hidden_vm.h"

#include <algorithm>
#include <span>

namespace beam_exporter::beam {

os::AddressRange code_of(const elf::Image& image, std::uint64_t bias) {
  for (const auto& segment : image.segments())
    if (segment.executable) return {segment.addresses.begin + bias, segment.addresses.end + bias};
  return {};
}

std::optional<std::string> constant_text(const HiddenVm& vm, os::Address at) {
  constexpr std::uint64_t longest = 32;
  if (at < vm.bias) return std::nullopt;
  const os::Address place = at - vm.bias;
  const auto segments = vm.image.segments();
  const auto segment = std::ranges::find_if(segments, [&](const elf::Segment& one) {
    return !one.writable && one.addresses.contains(place);
  });
  if (segment == segments.end()) return std::nullopt;
  std::string text(std::min(longest, segment->addresses.end - place), '\0');
  if (!vm.image.read(place, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  const auto end = text.find('\0');
  return end == std::string::npos ? std::nullopt : std::optional(text.substr(0, end));
}

}  // namespace beam_exporter::beam
