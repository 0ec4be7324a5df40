#include "elf/image.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace beam_exporter::elf {

namespace {

constexpr std::uint64_t most_section_bytes = 256 << 20;

// Calls pread until `into` is full: pread may return less in the middle of a file. At the end of
// the file it is an error.
bool read_file(int fd, std::uint64_t offset, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace

bool Image::holds(const Symbol& symbol) const {
  return std::ranges::any_of(segments_, [&](const Segment& segment) {
    const auto& [begin, end] = segment.addresses;  // `_end` lies at the end
    return symbol.value >= begin && symbol.value <= end && symbol.size <= end - symbol.value &&
           (segment.executable || !symbol.is_function);
  });
}

void Image::add_symbol_table(const SymbolTable& symbols, std::string origin) {
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (const auto each = symbols.at(i); holds(each.symbol))
      symbols_.add(each.name, each.local, each.symbol);
  symbols_.sort();
  has_symbol_table_ = true;
  symbols_from_ = std::move(origin);
}

std::optional<os::AddressRange> Image::section(std::string_view section_name) const {
  for (const auto& section : sections_)
    if (section.name == section_name) return section.addresses;
  return std::nullopt;
}

SectionBytes Image::section_bytes(std::string_view section_name) const {
  const auto range = section(section_name);
  if (!range || range->size() > most_section_bytes) return {};
  SectionBytes section{range->begin, std::vector<std::byte>(range->size())};
  return read(range->begin, section.bytes) ? std::move(section) : SectionBytes{};
}

std::optional<std::uint64_t> Image::load_bias(os::Address lowest_mapping) const {
  if (segments_.empty()) return std::nullopt;
  const auto lowest = std::min_element(segments_.begin(), segments_.end(), [](auto& a, auto& b) {
    return a.addresses.begin < b.addresses.begin;
  });
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const os::Address aligned = lowest->addresses.begin & ~(page - 1);
  if (lowest_mapping < aligned) return std::nullopt;
  return lowest_mapping - aligned;
}

std::vector<NamedSymbol> Image::functions() const {
  std::vector<NamedSymbol> found;
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (const auto each = symbols_.at(i); each.symbol.is_function && each.symbol.in_code)
      found.push_back(each);
  return found;
}

os::Status Image::read(os::Address from, std::span<std::byte> into) const {
  for (const auto& segment : segments_) {
    if (!segment.addresses.contains(from, into.size())) continue;
    const std::uint64_t skip = from - segment.addresses.begin;
    const std::uint64_t stored = segment.file_size > skip ? segment.file_size - skip : 0;
    const auto from_file = into.first(std::min<std::uint64_t>(stored, into.size()));
    if (!read_file(file_.get(), segment.file_offset + skip, from_file))
      return os::Error{os::ErrorKind::unreadable, name_ + ": ends inside one of its segments"};
    const auto zeros = into.subspan(from_file.size());
    std::fill(zeros.begin(), zeros.end(), std::byte{0});
    return os::Done{};
  }
  return os::Error{os::ErrorKind::unreadable, name_ + ": no segment holds the address"};
}

os::Status Image::read_constant(std::string_view symbol_name, std::span<std::byte> into) const {
  const auto found = symbol(symbol_name);
  if (!found)
    return os::Error{os::ErrorKind::not_found, name_ + ": no symbol " + std::string(symbol_name)};
  if (found->size < into.size())
    return os::Error{os::ErrorKind::malformed,
                     name_ + ": symbol " + std::string(symbol_name) + " is too small"};
  return read(found->value, into);
}

std::optional<std::string> Image::text_constant(std::string_view symbol_name) const {
  const auto found = symbol(symbol_name);
  if (!found || found->size == 0) return std::nullopt;
  std::array<char, 256> text{};
  const auto bytes = std::min<std::uint64_t>(found->size, text.size());
  if (!read(found->value, std::as_writable_bytes(std::span(text).first(bytes))))
    return std::nullopt;
  const std::size_t length = ::strnlen(text.data(), bytes);
  if (length == bytes) return std::nullopt;
  return std::string(text.data(), length);
}

}  // namespace beam_exporter::elf
