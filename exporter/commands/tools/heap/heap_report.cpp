#include "commands/tools/heap/heap_report.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace beam_exporter::commands {

namespace {

using Values = std::unordered_map<beam::Eterm, std::optional<beam::Amount>>;

Values values_of(const HeapLook* look, HeapKey key) {
  Values values;
  if (look == nullptr) return values;
  for (std::size_t k = 0; k < look->processes.size(); ++k)
    values.emplace(look->processes[k].id, value_of(*look, k, key));
  return values;
}

std::optional<std::int64_t> growth(const Values& before, beam::Eterm process,
                                   const std::optional<beam::Amount>& now) {
  const auto found = before.find(process);
  const auto then = found == before.end() ? beam::Amount{} : found->second;
  if (!now || !then || !now->whole || !then->whole) return std::nullopt;
  return static_cast<std::int64_t>(now->bytes) - static_cast<std::int64_t>(then->bytes);
}

}  // namespace

HeapReport heap_report(const HeapLook* before, const HeapLook& now, HeapKey key) {
  HeapReport report{.scan = now.scan, .key = key, .given_up = now.given_up};
  report.compared = before != nullptr;
  const auto known = values_of(before, key);
  struct Place {
    std::size_t process;
    std::optional<std::int64_t> order;
  };
  std::vector<Place> places;
  std::vector<std::optional<std::int64_t>> grown;
  places.reserve(now.processes.size());
  for (std::size_t k = 0; k < now.processes.size(); ++k) {
    const auto& process = now.processes[k];
    report.heap_bytes += process.heap_bytes;
    report.messages += process.messages;
    const auto kib = process.heap_bytes / 1024;
    ++report.spread[std::min<std::size_t>(std::bit_width(kib), report.spread.size() - 1)];
    const auto value = value_of(now, k, key);
    grown.push_back(report.compared ? growth(known, process.id, value) : std::nullopt);
    std::optional<std::int64_t> order = grown.back();
    if (!report.compared && value) order = static_cast<std::int64_t>(value->bytes);
    places.push_back({k, order});
  }
  // nullopt is less than any number.
  std::ranges::stable_sort(places,
                           [](const Place& a, const Place& b) { return a.order > b.order; });
  report.rows.reserve(places.size());
  for (const auto& [process, order] : places)
    report.rows.push_back({now.processes[process],
                           now.held.empty() ? beam::Held{} : now.held[process], grown[process]});
  return report;
}

}  // namespace beam_exporter::commands
