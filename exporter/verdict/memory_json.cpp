#include "verdict/memory_json.h"

#include <nlohmann/json.hpp>

#include "verdict/composition.h"
#include "verdict/memory_rules.h"

namespace beam_exporter::verdict {

namespace {

using Json = nlohmann::ordered_json;

// Bytes and counts: sums of whole numbers.
std::uint64_t whole(double value) { return static_cast<std::uint64_t>(value); }

Json finding_json(const Finding& finding) {
  const auto& rule = *finding.rule;
  return {{"rule", rule.name},
          {"subject", finding.sight.subject},
          {"bytes", whole(finding.sight.bytes)},
          {"measure",
           {{"what", rule.measure},
            {"value", finding.sight.measure},
            {"threshold", rule.threshold},
            {"reason", rule.reason}}},
          {"text", finding.text},
          {"advice", finding.advice},
          {"source", rule.source}};
}

Json allocator_json(const AllocatorFacts& one) {
  Json json = {{"allocator", one.name}, {"blocks_bytes", whole(one.block_bytes())}};
  for (std::size_t use = 0; use < carrier_uses; ++use) {
    const auto& group = one.by_use[use];
    Json row = {{"carriers", whole(group.carriers)},
                {"carriers_bytes", whole(group.bytes)},
                {"free_bytes", whole(group.free())},
                {"wasted_bytes", whole(group.least_wasted())},
                {"wasted_bytes_at_most", whole(group.most_wasted())},
                {"abandoned_free_bytes", whole(group.abandoned_free)},
                {"free_bytes_by_instance", Json::object()}};
    if (group.resident) row["resident_bytes"] = whole(*group.resident);
    for (const auto& [instance, free] : group.free_by_instance)
      row["free_bytes_by_instance"][std::to_string(instance)] = whole(free);
    json[std::string(carrier_use_names[use])] = std::move(row);
  }
  return json;
}

Json process_json(const ProcessFacts& process) {
  return {{"process", process.id},
          {"name", process.name},
          {"heap_bytes", whole(process.heap_bytes)},
          {"messages", whole(process.messages)}};
}

}  // namespace

std::string memory_json(const std::string& target, const MemoryFacts& facts) {
  Json json = {{"target", target},
               {"resident_bytes", whole(facts.resident)},
               {"resident_changed_bytes", whole(facts.moved)},
               {"findings", Json::array()},
               {"composition", Json::array()},
               {"allocators", Json::array()},
               {"allocators_off", facts.allocators_off},
               {"limit", nullptr},
               {"processes", nullptr},
               {"not_readable", facts.unread}};
  for (const auto& finding : judge(facts)) json["findings"].push_back(finding_json(finding));
  for (const auto& part : composition(facts)) {
    Json row = {{"part", part.name},
                {"bytes", whole(part.bytes)},
                {"may_be_off_bytes", whole(part.may_be_off)}};
    if (!part.allocator.empty()) row["allocator"] = part.allocator;
    json["composition"].push_back(std::move(row));
  }
  for (const auto& one : facts.allocators) json["allocators"].push_back(allocator_json(one));
  if (const auto& limit = facts.limit)
    json["limit"] = {{"version", limit->version},
                     {"group", limit->group},
                     {"limit_bytes", limit->limit},
                     {"used_bytes", limit->used},
                     {"reclaimable_bytes", limit->reclaimable},
                     {"left_bytes", limit->left()}};
  if (const auto& processes = facts.processes) {
    json["processes"] = {{"count", whole(processes->count)},
                         {"heap_bytes", whole(processes->heap_bytes)}};
    if (const auto& one = processes->largest_heap)
      json["processes"]["largest_heap"] = process_json(*one);
    if (const auto& one = processes->longest_queue)
      json["processes"]["longest_queue"] = process_json(*one);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace beam_exporter::verdict
