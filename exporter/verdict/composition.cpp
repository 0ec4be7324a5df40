#include "verdict/composition.h"

#include <algorithm>
#include <utility>

namespace beam_exporter::verdict {

namespace {

struct Meaning {
  std::string_view name, text;
};

// What the allocators are for: erts_alloc(3), section "Allocators" (OTP 25 and 27).
constexpr std::array meanings{
    Meaning{"eheap_alloc", "heaps and messages of processes"},
    Meaning{"binary_alloc", "binaries of more than 64 bytes"},
    Meaning{"ets_alloc", "ETS tables"},
    Meaning{"driver_alloc", "data of drivers and NIFs"},
    Meaning{"ll_alloc", "long-lived data: code tables, atoms"},
    Meaning{"sl_alloc", "short-lived data"},
    Meaning{"std_alloc", "data of no other allocator"},
    Meaning{"fix_alloc", "structs of one size: processes, monitors, timers"},
    Meaning{"temp_alloc", "temporary data"},
    Meaning{"literal_area", "constants of modules, persistent terms"},
    Meaning{"mseg_cache", "segments that the VM keeps for its next carriers"},
    Meaning{"jit_code", "machine code of Erlang modules (mapped twice, counted twice)"},
    Meaning{"files", "the programs' own code and data: beam.smp, libraries"},
    Meaning{"thread_stacks", "stacks of threads"},
    Meaning{"c_heap", "malloc: NIFs, drivers, the C runtime (its first arena)"},
    Meaning{"other", "malloc: NIFs, drivers, the C runtime (other arenas, large blocks)"},
};

std::string meaning_of(std::string_view name) {
  const auto found = std::ranges::find(meanings, name, &Meaning::name);
  return found == meanings.end() ? "" : std::string(found->text);
}

}  // namespace

std::vector<Part> composition(const MemoryFacts& facts) {
  std::vector<Part> parts;
  Part free{.name = "free_in_carriers", .meaning = "free memory inside carriers"};
  for (const auto& allocator : facts.allocators) {
    Part blocks{
        .name = "blocks", .allocator = allocator.name, .meaning = meaning_of(allocator.name)};
    for (const auto& group : allocator.by_use) {
      if (!group.resident) continue;
      const double off = group.most_wasted() - group.least_wasted();
      blocks.bytes += *group.resident - group.least_wasted();
      free.bytes += group.least_wasted();
      blocks.may_be_off += off;
      free.may_be_off += off;
    }
    if (blocks.bytes > 0) parts.push_back(std::move(blocks));
  }
  if (free.bytes > 0) parts.push_back(std::move(free));
  for (const auto& [name, bytes] : facts.parts)
    parts.push_back({.name = name, .meaning = meaning_of(name), .bytes = bytes});
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::bytes);
  return parts;
}

}  // namespace beam_exporter::verdict
