#include <algorithm>
#include <utility>

#include "text/bytes.h"
#include "text/printed.h"
#include "verdict/sights.h"

namespace beam_exporter::verdict::sights {

namespace {

// The letters of erts_alloc(3), section "System Flags Effecting erts_alloc" (OTP 25 and 27).
constexpr std::array<std::pair<std::string_view, char>, 10> letters{{{"binary_alloc", 'B'},
                                                                     {"std_alloc", 'D'},
                                                                     {"ets_alloc", 'E'},
                                                                     {"fix_alloc", 'F'},
                                                                     {"eheap_alloc", 'H'},
                                                                     {"literal_alloc", 'I'},
                                                                     {"ll_alloc", 'L'},
                                                                     {"driver_alloc", 'R'},
                                                                     {"sl_alloc", 'S'},
                                                                     {"temp_alloc", 'T'}}};

// A carrier of its own has whole pages: from eight pages on, that wastes at most an eighth of a
// block.
constexpr double large_block = 32 * 1024;

// ll_alloc and literal_alloc have no single-block carriers (erl_alloc.c
// set_default_ll_alloc_opts, set_default_literal_alloc_opts, OTP 25 and 27). The areas of
// literal_alloc are counted as literal_area.
bool is_large(const AllocatorFacts& one) {
  return one.mean_block() >= large_block && one.name != "ll_alloc";
}

std::string where(const CarrierGroup& group) {
  const auto worth_telling = [&](double part) { return part >= 0.01 * group.free() && part > 0; };
  const auto has = [&](const std::string& who, double part) {
    return who + text::printed(" %.0f %% of that", 100 * part / group.free());
  };
  std::string text;
  if (worth_telling(group.abandoned_free))
    text = has("Abandoned carriers, which any scheduler takes before it makes a new one, have",
               group.abandoned_free);
  const auto most = std::ranges::max_element(group.free_by_instance, {},
                                             [](const auto& instance) { return instance.second; });
  if (most != group.free_by_instance.end() && worth_telling(most->second)) {
    const auto instance = "nstance " + std::to_string(most->first) + " has";
    text += has(text.empty() ? "I" + instance : "; i" + instance, most->second);
    if (most->first == 0) text += " (it serves threads that are no schedulers)";
  }
  return text.empty() ? "No instance has much of that" : text;
}

Sight sight_of(const AllocatorFacts& one, const CarrierGroup& group) {
  const auto letter = std::ranges::find(letters, std::string_view(one.name),
                                        [](const auto& pair) { return pair.first; });
  const double all = one.multi_block_bytes();
  return {.subject = one.name,
          .bytes = group.least_wasted(),
          .measure = all > 0 ? group.least_wasted() / all : 0,
          .words = {{"letter", letter == letters.end() ? "?" : std::string(1, letter->second)},
                    {"where", where(group)},
                    {"carriers", text::printed("%.0f", group.carriers)},
                    {"all", text::bytes_text(all)}}};
}

enum class Whose { heaps, binaries, others };
Whose whose(const AllocatorFacts& one) {
  if (one.name == "eheap_alloc") return Whose::heaps;
  return one.name == "binary_alloc" ? Whose::binaries : Whose::others;
}

template <class Wanted>
std::vector<Sight> in_use(const MemoryFacts& facts, CarrierUse use, const Wanted& wanted) {
  std::vector<Sight> seen;
  for (const auto& one : facts.allocators)
    if (one.name != "literal_alloc" && !is_large(one) && wanted(one))
      seen.push_back(sight_of(one, one[use]));
  return seen;
}

std::vector<Sight> in_use(const MemoryFacts& facts, CarrierUse use, Whose of) {
  return in_use(facts, use, [&](const AllocatorFacts& one) { return whose(one) == of; });
}

}  // namespace

std::vector<Sight> idle_heaps(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::nearly_empty, Whose::heaps);
}
std::vector<Sight> idle_binaries(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::nearly_empty, Whose::binaries);
}
std::vector<Sight> idle_others(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::nearly_empty, Whose::others);
}
std::vector<Sight> holes_in_heaps(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::small_holes, Whose::heaps);
}
std::vector<Sight> holes_in_binaries(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::small_holes, Whose::binaries);
}
std::vector<Sight> holes_in_others(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::small_holes, Whose::others);
}
std::vector<Sight> unused_room(const MemoryFacts& facts) {
  return in_use(facts, CarrierUse::large_holes, [](const AllocatorFacts&) { return true; });
}

std::vector<Sight> large_blocks(const MemoryFacts& facts) {
  std::vector<Sight> seen;
  for (const auto& one : facts.allocators) {
    if (one.name == "literal_alloc" || !is_large(one)) continue;
    CarrierGroup together;
    double least = 0;
    for (const auto use :
         {CarrierUse::nearly_empty, CarrierUse::small_holes, CarrierUse::large_holes}) {
      const auto& group = one[use];
      together.carriers += group.carriers;
      together.bytes += group.bytes;
      together.block_bytes += group.block_bytes;
      together.abandoned_free += group.abandoned_free;
      least += group.least_wasted();
      for (const auto& [instance, free] : group.free_by_instance)
        together.free_by_instance[instance] += free;
    }
    auto sight = sight_of(one, together);
    sight.bytes = least;
    sight.measure = one.multi_block_bytes() > 0 ? least / one.multi_block_bytes() : 0;
    // Blocks of half the mean size and more get carriers of their own.
    const double sbct = one.mean_block() / 2;
    sight.words["mean"] = text::bytes_text(one.mean_block());
    sight.words["sbct"] = text::printed("%.0f", sbct / 1024);
    sight.words["sbct_bytes"] = text::printed("%.0f", sbct);
    seen.push_back(std::move(sight));
  }
  return seen;
}

}  // namespace beam_exporter::verdict::sights
