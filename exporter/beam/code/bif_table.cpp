#include "beam/code/bif_table.h"

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

}  // namespace

std::vector<Bif> read_bif_table(const elf::Image& image, const StaticData& data,
                                const os::Memory& memory) {
  const auto symbol = image.symbol("bif_table");
  const auto place = data.symbol("bif_table");
  if (!symbol || !place || symbol->size % sizeof(BifEntry) != 0) return {};
  if (symbol->size / sizeof(BifEntry) > most_bifs) return {};
  std::vector<BifEntry> entries(symbol->size / sizeof(BifEntry));
  if (!memory.read(*place, std::as_writable_bytes(std::span(entries)))) return {};
  std::vector<Bif> bifs;
  for (const BifEntry& entry : entries) {
    const bool sound = atom_index(entry.module) && atom_index(entry.name) && entry.arity >= 0 &&
                       entry.arity <= largest_arity && entry.kind <= guard_kind;
    if (!sound) return {};
    bifs.push_back({{entry.module, entry.name, static_cast<std::uint32_t>(entry.arity)},
                    entry.f,
                    entry.impl,
                    entry.kind == guard_kind});
  }
  return bifs;
}

}  // namespace beam_exporter::beam
