#include "verdict/sights.h"

#include <algorithm>

#include "text/bytes.h"
#include "text/printed.h"

namespace beam_exporter::verdict::sights {

namespace {

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

// These parts of the resident memory together.
Sight parts(const MemoryFacts& facts, std::string subject,
            std::initializer_list<const char*> names) {
  Sight sight{.subject = std::move(subject)};
  for (const char* name : names)
    if (const auto found = facts.parts.find(name); found != facts.parts.end())
      sight.bytes += found->second;
  sight.measure = share_of(sight.bytes, facts.resident);
  return sight;
}

Sight outside_carriers(const MemoryFacts& facts) {
  return parts(facts, "malloc", {"c_heap", "other"});
}

}  // namespace

std::vector<Sight> segment_cache(const MemoryFacts& facts) {
  return {parts(facts, "mseg_cache", {"mseg_cache"})};
}

std::vector<Sight> malloc_memory(const MemoryFacts& facts) {
  if (!facts.pages_seen || !facts.allocators_off.empty()) return {};
  return {outside_carriers(facts)};
}

std::vector<Sight> malloc_instead_of_allocators(const MemoryFacts& facts) {
  if (!facts.pages_seen || facts.allocators_off.empty()) return {};
  auto sight = outside_carriers(facts);
  auto& off = sight.words["off"];
  for (const auto& name : facts.allocators_off) off += (off.empty() ? "" : ", ") + name;
  return {sight};
}

std::vector<Sight> libraries(const MemoryFacts& facts) {
  return {parts(facts, "files", {"files"})};
}

std::vector<Sight> binaries_beside_heaps(const MemoryFacts& facts) {
  const auto* binaries = facts.allocator("binary_alloc");
  const auto* heaps = facts.allocator("eheap_alloc");
  if (binaries == nullptr || heaps == nullptr) return {};
  return {{.subject = "binary_alloc",
           .bytes = binaries->block_bytes(),
           .measure = share_of(binaries->block_bytes(), heaps->block_bytes()),
           .words = {{"heaps", text::bytes_text(heaps->block_bytes())}}}};
}

std::vector<Sight> one_process(const MemoryFacts& facts) {
  if (!facts.processes || !facts.processes->largest_heap) return {};
  const auto& process = *facts.processes->largest_heap;
  return {{.subject = process.id + " " + process.name,
           .bytes = process.heap_bytes,
           .measure = share_of(process.heap_bytes, facts.processes->heap_bytes),
           .words = {{"messages", text::printed("%.0f", process.messages)},
                     {"processes", text::printed("%.0f", facts.processes->count)},
                     {"heaps", text::bytes_text(facts.processes->heap_bytes)}}}};
}

std::vector<Sight> long_mailbox(const MemoryFacts& facts) {
  if (!facts.processes || !facts.processes->longest_queue) return {};
  const auto& process = *facts.processes->longest_queue;
  return {{.subject = process.id + " " + process.name,
           .bytes = process.heap_bytes,
           .measure = process.messages,
           .words = {{"messages", text::printed("%.0f", process.messages)}}}};
}

std::vector<Sight> near_limit(const MemoryFacts& facts) {
  if (!facts.limit) return {};
  const auto bytes = [](std::uint64_t value) {
    return text::bytes_text(static_cast<double>(value));
  };
  return {{.subject = facts.limit->group,
           .bytes = static_cast<double>(facts.limit->held()),
           .measure = share_of(static_cast<double>(facts.limit->held()),
                               static_cast<double>(facts.limit->limit)),
           .words = {{"limit", bytes(facts.limit->limit)},
                     {"left", bytes(facts.limit->left())},
                     {"resident", text::bytes_text(facts.resident)}}}};
}

}  // namespace beam_exporter::verdict::sights
