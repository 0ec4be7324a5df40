#include "beam/allocators/allocator_instances.h"

#include <algorithm>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// erl_alloc.types has 12 allocators in OTP 25 and 27; erl_process.h allows 1,024 schedulers of each
// kind.
constexpr std::uint64_t most_allocators = 64;
constexpr std::int32_t most_instances = 2 * 1024 + 1;
constexpr std::size_t longest_name = 32;

os::Error malformed(const std::string& what) {
  return {os::ErrorKind::malformed, "allocators: " + what};
}

std::optional<std::string> read_text(const os::Memory& memory, os::Address at) {
  std::string text(longest_name, '\0');
  // The name may be at the end of the last mapped page: then read it byte by byte.
  if (!memory.read(at, std::as_writable_bytes(std::span(text)))) {
    for (std::size_t k = 0; k < text.size(); ++k) {
      const auto letter = memory.value<char>(at + k);
      if (!letter) return std::nullopt;
      text[k] = *letter;
      if (*letter == '\0') break;
    }
  }
  const auto end = text.find('\0');
  if (end == std::string::npos || end == 0) return std::nullopt;
  return text.substr(0, end);
}

class Finder {
 public:
  Finder(const Layout& layout, const os::Memory& memory, os::Address info, os::Address threads)
      : layout_(layout.allocators), memory_(memory), info_(info), threads_(threads) {}

  os::Status add(unsigned number) {
    const os::Address threads_at = threads_ + std::uint64_t{number} * layout_.threads.size;
    const auto info =
        read_struct(memory_, info_ + std::uint64_t{number} * layout_.info.size, layout_.info.size);
    const auto threads = read_struct(memory_, threads_at, layout_.threads.size);
    if (!info || !threads) return malformed("the tables cannot be read");
    const StructBytes own(*info), per_thread(*threads);
    if (own.get(layout_.info.alloc_util).value_or(0) == 0 ||
        own.get(layout_.info.enabled).value_or(0) == 0)
      return os::Done{};
    const os::Address extra = own.get(layout_.info.extra).value_or(0);
    if (per_thread.get(layout_.threads.enabled).value_or(0) == 0)
      return add_instance(number, extra);
    // start_au_allocator (erl_alloc.c, OTP 25 and 27): `extra` of a thread-specific allocator
    // points to its own record.
    const std::int32_t count = per_thread.get(layout_.threads.count).value_or(0);
    if (extra != threads_at || count < 1 || count > most_instances)
      return malformed("record " + std::to_string(number) + " does not hold its own number");
    std::vector<os::Address> places(static_cast<std::size_t>(count));
    if (!memory_.read(per_thread.get(layout_.threads.instances).value_or(0),
                      std::as_writable_bytes(std::span(places))))
      return malformed("the list of instances cannot be read");
    for (const os::Address place : places)
      if (place != 0)
        if (auto added = add_instance(number, place); !added) return added;
    return os::Done{};
  }

  AllocatorSet found;

 private:
  os::Status add_instance(unsigned number, os::Address place) {
    const auto bytes = read_struct(memory_, place, layout_.allocator.size);
    if (!bytes) return malformed("an instance cannot be read");
    const StructBytes fields(*bytes);
    const auto& at = layout_.allocator;
    const auto strategy = fields.get(at.strategy).value_or(0);
    const auto index = fields.get(at.index).value_or(-1);
    const auto header = fields.get(at.header_bytes).value_or(0);
    if (fields.get(at.number) != static_cast<std::int32_t>(number) || index < 0 || strategy < 1 ||
        strategy > 4 || header == 0 || header > 4096)
      return malformed("an instance of " + found.names[number] + " does not hold its own number");
    found.instances.push_back({.allocator = number,
                               .index = static_cast<unsigned>(index),
                               .address = place,
                               .strategy = static_cast<AllocatorStrategy>(strategy),
                               .header_bytes = header,
                               .sentinel = fields.get(at.sentinel).value_or(0)});
    return os::Done{};
  }

  const AllocatorLayouts& layout_;
  const os::Memory& memory_;
  os::Address info_, threads_;
};

}  // namespace

os::Result<AllocatorSet> find_allocators(const Layout& layout, const StaticData& data,
                                         const os::Memory& memory) {
  const auto info = data.range("erts_allctrs_info");
  const auto threads = data.symbol("erts_allctr_thr_spec"), names = data.symbol("erts_alc_a2ad");
  if (!info || !threads || !names)
    return os::Error{os::ErrorKind::unsupported,
                     "the executable exports no symbol erts_allctrs_info"};
  const std::uint64_t records = info->size() / layout.allocators.info.size;
  if (records < 2 || records > most_allocators) return malformed("a table has an implausible size");

  Finder finder(layout, memory, info->begin, *threads);
  finder.found.kinds = records - 1;
  for (std::uint64_t number = 0; number < records; ++number) {
    const auto text = number == 0 ? std::nullopt : memory.value<os::Address>(*names + number * 8);
    const auto name = text ? read_text(memory, *text) : std::string();
    if (!name) return malformed("the names cannot be read");
    finder.found.names.push_back(*name);
  }
  for (unsigned number = 1; number < records; ++number)
    if (auto added = finder.add(number); !added) return added.error();
  if (finder.found.instances.empty()) return malformed("there are none");
  return std::move(finder.found);
}

}  // namespace beam_exporter::beam
