#include "collectors/memory_look.h"

#include <cmath>
#include <utility>

#include "beam/processes/process_name.h"
#include "beam/processes_of_vm.h"
#include "collectors/carrier_look.h"
#include "collectors/memory_figures.h"
#include "os/process/memory_limit.h"
#include "os/process/process_stat.h"

namespace beam_exporter::collectors {

namespace {

using verdict::CarrierUse;
using verdict::MemoryFacts;

CarrierUse use_of(const beam::Carrier& carrier) {
  if (carrier.single_block) return CarrierUse::single_block;
  std::optional<double> largest;
  if (carrier.largest) largest = static_cast<double>(*carrier.largest);
  return verdict::use_of(static_cast<double>(carrier.size), static_cast<double>(carrier.free()),
                         largest);
}

// Names for the parts of resident memory that the groups of carriers are: "eheap_alloc
// small_holes".
class GroupNames {
 public:
  explicit GroupNames(const beam::AllocatorSet& set) {
    for (const auto& allocator : set.names)
      for (const auto use : verdict::carrier_use_names)
        names_.push_back(allocator + " " + std::string(use));
  }
  std::string_view operator()(unsigned allocator, CarrierUse use) const {
    return names_[allocator * verdict::carrier_uses + static_cast<std::size_t>(use)];
  }

 private:
  std::vector<std::string> names_;
};

void add_carriers(const AllocatorAccess& access, const CarrierLook& look,
                  const totals::AllocatorSection& section, MemoryFacts& facts) {
  const auto& set = access.set;
  std::vector<verdict::AllocatorFacts> found(set.names.size());
  for (const auto& carrier : look.walk.carriers) {
    auto& group = found[carrier.allocator][use_of(carrier)];
    ++group.carriers;
    group.bytes += static_cast<double>(carrier.size);
    if (carrier.single_block) continue;
    group.block_bytes += static_cast<double>(carrier.used + carrier.head);
    const auto free = static_cast<double>(carrier.free());
    if (carrier.pooled)
      group.abandoned_free += free;
    else
      group.free_by_instance[set.instances[carrier.instance].index] += free;
  }
  for (const auto& one : section.allocators) {
    const auto number = std::ranges::find(set.names, one.allocator) - set.names.begin();
    auto& allocator = found[static_cast<std::size_t>(number)];
    allocator.name = one.allocator;
    const auto& [multi_block, single_block, pool] = one.by_kind;
    allocator.blocks = multi_block.blocks + pool.blocks;
    // Read a moment later than the carriers.
    auto& single = allocator[CarrierUse::single_block];
    single.block_bytes = std::min(single_block.block_bytes, single.bytes);
    facts.allocators.push_back(std::move(allocator));
  }
}

void add_parts(const beam::AllocatorSet& set, const GroupNames& names,
               const totals::ResidentParts& parts, MemoryFacts& facts) {
  facts.resident = parts.resident;
  facts.parts = parts.by_part;
  if (!parts.carriers) {
    facts.unread.emplace_back("which pages of the carriers are in RAM: /proc/PID/pagemap");
    return;
  }
  facts.pages_seen = true;
  for (auto& allocator : facts.allocators) {
    const auto number = std::ranges::find(set.names, allocator.name) - set.names.begin();
    for (std::size_t use = 0; use < verdict::carrier_uses; ++use)
      if (const auto node = facts.parts.extract(
              std::string(names(static_cast<unsigned>(number), static_cast<CarrierUse>(use)))))
        allocator.by_use[use].resident = node.mapped();
  }
}

void look_at_allocators(const beam::VirtualMachine& vm, MemoryFacts& facts) {
  auto set = beam::find_allocators(vm.layout(), vm.static_data(), vm.memory());
  if (!set) {
    facts.unread.push_back("the allocators: " + set.error().text);
    return;
  }
  AllocatorAccess access(vm, std::move(*set));
  const GroupNames names(access.set);
  const auto look = look_at_carriers(vm, access, [&](const beam::Carrier& carrier) {
    return names(carrier.allocator, use_of(carrier));
  });
  const auto statistics = access.reader.read();
  if (!look.walk.whole || !statistics) {
    facts.unread.emplace_back("the carriers: they changed during every try");
    return;
  }
  const auto section = allocator_section(access.set, *statistics);
  for (const auto& [name, enabled] : section.enabled)
    if (!enabled) facts.allocators_off.push_back(name);
  add_carriers(access, look, section, facts);
  if (look.parts)
    add_parts(access.set, names, *look.parts, facts);
  else
    facts.unread.emplace_back("where the resident pages are: /proc/PID/smaps");
}

void look_at_processes(const beam::VirtualMachine& vm, MemoryFacts& facts) {
  ProcessTally tally(1);
  const auto scan = beam::scan_processes(vm, [&](const auto& one) { tally.add(one); });
  if (!scan) {
    facts.unread.emplace_back("the table of processes");
    return;
  }
  auto atoms = vm.separate_atoms();
  const auto first = [&](const std::vector<beam::ScannedProcess>& largest) {
    std::optional<verdict::ProcessFacts> named;
    if (largest.empty()) return named;
    const auto& process = largest.front();
    const auto name = beam::process_name(vm.layout(), vm.memory(), atoms, process);
    named = {beam::process_id_text(scan->ids, process.id), name.value_or("?"),
             static_cast<double>(process.heap_bytes), static_cast<double>(process.messages)};
    return named;
  };
  facts.processes =
      verdict::ProcessesFacts{static_cast<double>(scan->processes), tally.section().heap_bytes.sum,
                              first(tally.largest_heaps()), first(tally.longest_queues())};
}

}  // namespace

MemoryFacts look_at_memory(const beam::VirtualMachine& vm) {
  MemoryFacts facts;
  const auto directory = vm.process().directory();
  const auto resident = [&] {
    const auto stat = os::read_process_stat(directory);
    return stat ? static_cast<double>(stat->resident_bytes) : 0;
  };
  const double before = resident();
  facts.resident = before;
  look_at_allocators(vm, facts);
  look_at_processes(vm, facts);
  const auto limit = os::read_memory_limit(directory);
  if (!limit)
    facts.unread.push_back("the memory limit: " + limit.error().text);
  else
    facts.limit = *limit;
  facts.moved = std::abs(resident() - before);
  return facts;
}

}  // namespace beam_exporter::collectors
