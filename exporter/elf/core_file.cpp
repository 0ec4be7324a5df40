#include "elf/core_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace beam_exporter::elf {

bool MappedFile::read(os::Address from, std::span<std::byte> into) const {
  while (!into.empty()) {
    const auto after = std::ranges::upper_bound(
        segments, from, {}, [](const Segment& segment) { return segment.addresses.begin; });
    if (after == segments.begin()) return false;
    const Segment& segment = *std::prev(after);
    const std::uint64_t offset = from - segment.addresses.begin;
    if (offset >= segment.file_size) return false;
    const auto part = into.first(std::min<std::uint64_t>(into.size(), segment.file_size - offset));
    if (::pread(file.get(), part.data(), part.size(),
                static_cast<off_t>(segment.file_offset + offset)) !=
        static_cast<ssize_t>(part.size()))
      return false;
    into = into.subspan(part.size());
    from += part.size();
  }
  return true;
}

CoreMemory::CoreMemory(CoreFile core, const Image& executable, std::uint64_t bias)
    : core_(std::move(core)) {
  unchanged_.file = os::UniqueFd(::fcntl(executable.descriptor(), F_DUPFD_CLOEXEC, 0));
  for (Segment segment : executable.segments()) {
    const auto begin = os::checked_add(segment.addresses.begin, bias);
    const auto end = os::checked_add(segment.addresses.end, bias);
    if (segment.writable || !begin || !end) continue;
    segment.addresses = {*begin, *end};
    unchanged_.segments.push_back(segment);
  }
  std::ranges::sort(unchanged_.segments, {},
                    [](const Segment& segment) { return segment.addresses.begin; });
}

bool CoreMemory::read(os::Address from, std::span<std::byte> into) const {
  return core_.read(from, into) || unchanged_.read(from, into);
}

}  // namespace beam_exporter::elf
