#include "beam/code/bif_table.h"

#include <cstring>
#include <span>

#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

// typedef struct bif_entry { Eterm module; Eterm name; int arity; BifFunction f; BifFunction impl;
// BifKind kind; } BifEntry, on 64-bit machines; kinds: regular 0, heavy 1, guard 2.
struct BifEntry {
  Eterm module, name;
  std::int32_t arity;
  os::Address f, impl;
  std::uint32_t kind;
};
static_assert(sizeof(BifEntry) == 48);
constexpr std::uint32_t guard_kind = 2;
constexpr std::int32_t largest_arity = 255;
constexpr std::uint64_t most_bifs = 8192;

// Every release that has such a table has several hundred BIFs.
constexpr std::size_t fewest_bifs = 200;

bool is_sound(const BifEntry& entry) {
  return atom_index(entry.module) && atom_index(entry.name) && entry.arity >= 0 &&
         entry.arity <= largest_arity && entry.kind <= guard_kind;
}

}  // namespace

std::vector<Bif> read_bif_table(const StaticData& data, const os::Memory& memory) {
  const auto place = data.range("bif_table");
  if (!place || place->size() % sizeof(BifEntry) != 0) return {};
  if (place->size() / sizeof(BifEntry) > most_bifs) return {};
  std::vector<BifEntry> entries(place->size() / sizeof(BifEntry));
  if (!memory.read(place->begin, std::as_writable_bytes(std::span(entries)))) return {};
  std::vector<Bif> bifs;
  for (const BifEntry& entry : entries) {
    if (!is_sound(entry)) return {};
    bifs.push_back({{entry.module, entry.name, static_cast<std::uint32_t>(entry.arity)},
                    entry.f,
                    entry.impl,
                    entry.kind == guard_kind});
  }
  return bifs;
}

std::optional<os::AddressRange> find_bif_table(const StaticData& data, os::AddressRange code) {
  const auto bytes = std::as_bytes(std::span(data.words()));
  const auto entry_at = [&](std::size_t at) {
    BifEntry entry{};
    if (at + sizeof entry <= bytes.size()) std::memcpy(&entry, bytes.data() + at, sizeof entry);
    return is_sound(entry) && code.contains(entry.f) && code.contains(entry.impl);
  };
  std::optional<os::AddressRange> found;
  for (std::size_t begin = 0; begin < bytes.size(); begin += sizeof(std::uint64_t)) {
    std::size_t end = begin;
    while (entry_at(end)) end += sizeof(BifEntry);
    if ((end - begin) / sizeof(BifEntry) < fewest_bifs) continue;
    if (found) return std::nullopt;
    found = {data.begin() + begin, data.begin() + end};
    begin = end;
  }
  return found;
}

}  // namespace beam_exporter::beam
