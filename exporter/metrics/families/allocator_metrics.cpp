#include <map>
#include <string>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {
namespace {

using totals::CarrierKind;

constexpr auto pool = static_cast<std::size_t>(CarrierKind::pool);

// By allocator. From the carrier walk, because the VM's own count can be wrong
// (exporter/metrics/README.md).
using PooledCarriers = std::map<std::string_view, double>;

void append_kinds(const totals::AllocatorSection& section, const PooledCarriers& pooled,
                  Families& out) {
  FamilyBuilder carriers("beam_allocator_carriers"), bytes("beam_allocator_carriers_bytes");
  FamilyBuilder blocks("beam_allocator_blocks"), block_bytes("beam_allocator_blocks_bytes");
  FamilyBuilder utilization("beam_allocator_utilization_ratio");
  for (const auto& allocator : section.allocators) {
    for (std::size_t k = 0; k < allocator.by_kind.size(); ++k) {
      const auto& totals = allocator.by_kind[k];
      const std::string_view name = allocator.allocator, kind = totals::carrier_kind_names[k];
      auto count = totals.carriers;
      if (const auto walked = pooled.find(name); k == pool && walked != pooled.end())
        count = walked->second;
      carriers.add({name, kind}, count);
      bytes.add({name, kind}, totals.carrier_bytes);
      blocks.add({name, kind}, totals.blocks);
      block_bytes.add({name, kind}, totals.block_bytes);
      utilization.add({name, kind},
                      totals.carrier_bytes > 0 ? totals.block_bytes / totals.carrier_bytes : 1.0);
    }
  }
  for (auto* family : {&carriers, &bytes, &blocks, &block_bytes, &utilization})
    family->append_to(out);
}

void append_instances(const totals::AllocatorSection& section, Families& out) {
  FamilyBuilder carriers("beam_allocator_instance_carriers_bytes");
  FamilyBuilder blocks("beam_allocator_instance_blocks_bytes");
  FamilyBuilder free("beam_allocator_instance_free_bytes");
  FamilyBuilder largest("beam_allocator_instance_largest_free_block_bytes");
  for (const auto& instance : section.instances) {
    const std::string number = std::to_string(instance.instance);
    carriers.add({instance.allocator, number}, instance.carrier_bytes);
    blocks.add({instance.allocator, number}, instance.block_bytes);
    free.add({instance.allocator, number}, instance.free_bytes);
    largest.add({instance.allocator, number}, instance.largest_free_block_bytes);
  }
  for (auto* family : {&carriers, &blocks, &free, &largest}) family->append_to(out);
}

void append_fragmentation(const std::vector<totals::FragmentationFigures>& all, Families& out) {
  FamilyBuilder free("beam_allocator_free_bytes");
  FamilyBuilder largest("beam_allocator_largest_free_block_bytes");
  FamilyBuilder ratio("beam_allocator_fragmentation_ratio");
  FamilyBuilder by_carrier("beam_allocator_carrier_fragmentation_ratio");
  FamilyBuilder utilization("beam_carrier_utilization_ratio");
  for (const auto& one : all) {
    free.add({one.allocator}, one.free_bytes);
    largest.add({one.allocator}, one.largest_free_block_bytes);
    ratio.add({one.allocator}, one.fragmentation_ratio);
    by_carrier.add({one.allocator}, one.carrier_fragmentation_ratio);
    utilization.add({one.allocator}, one.utilization);
  }
  for (auto* family : {&free, &largest, &ratio, &by_carrier, &utilization}) family->append_to(out);
}

}  // namespace

Families allocator_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (snapshot.figures == nullptr) return out;
  const auto& figures = *snapshot.figures;
  PooledCarriers pooled;
  if (figures.fragmentation)
    for (const auto& one : *figures.fragmentation)
      pooled.emplace(one.allocator, one.pooled_carriers);
  if (figures.allocators) {
    FamilyBuilder enabled("beam_allocator_enabled");
    for (const auto& [allocator, is] : figures.allocators->enabled)
      enabled.add({allocator}, is ? 1.0 : 0.0);
    enabled.append_to(out);
    append_kinds(*figures.allocators, pooled, out);
    append_instances(*figures.allocators, out);
  }
  if (figures.fragmentation) append_fragmentation(*figures.fragmentation, out);
  return out;
}

}  // namespace beam_exporter::metrics
