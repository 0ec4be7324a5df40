#include "attribution/function_search.h"

#include <algorithm>
#include <set>
#include <utility>

namespace beam_exporter::attribution {

FunctionSearch::FunctionSearch(const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
                               const elf::TextUses* texts, Names known)
    : calls_(calls), symbols_(symbols), texts_(texts), known_(std::move(known)) {}

void FunctionSearch::find(const Fingerprint& wanted) {
  if (const auto* named = symbols_.named(wanted.name)) {  // not stripped
    found_.emplace(named->range.begin, wanted.name);
    return;
  }
  const auto callees = places_of(wanted.calls), callers = places_of(wanted.called_by);
  if (!callees || !callers) return;
  std::set<std::uint64_t> printers;
  if (!wanted.prints.empty() && texts_ != nullptr) printers = texts_->functions_with(wanted.prints);
  const auto fits = [&](std::uint64_t candidate) {
    return (wanted.prints.empty() || printers.contains(candidate)) &&
           std::ranges::all_of(*callees,
                               [&](auto callee) { return calls_.calls(candidate, callee); }) &&
           std::ranges::all_of(*callers,
                               [&](auto caller) { return calls_.calls(caller, candidate); }) &&
           std::ranges::count(calls_.pairs(), candidate, &elf::DirectCalls::Pair::callee) <=
               wanted.most_callers;
  };
  std::optional<std::uint64_t> only;
  for (const auto& candidate : symbols_.functions()) {
    const auto place = candidate.range.begin;
    if (candidate.exported || known_.contains(place) || found_.contains(place) || !fits(place))
      continue;
    if (only) return;
    only = place;
  }
  if (only) found_.emplace(*only, wanted.name);
}

std::optional<std::uint64_t> FunctionSearch::place_of(std::string_view name) const {
  for (const Names* names : {&known_, &found_})
    for (const auto& [place, told] : *names)
      if (told == name) return place;
  const auto* symbol = symbols_.named(name);
  return symbol != nullptr ? std::optional(symbol->range.begin) : std::nullopt;
}

// nullopt when one of the names is not known.
std::optional<FunctionSearch::Places> FunctionSearch::places_of(
    std::span<const std::string_view> names) const {
  Places places;
  for (const auto name : names) {
    if (name.empty()) continue;
    const auto place = place_of(name);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return places;
}

}  // namespace beam_exporter::attribution
