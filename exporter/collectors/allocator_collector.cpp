#include "collectors/allocator_collector.h"

#include "collectors/memory_figures.h"
#include "os/process/process_stat.h"

namespace beam_exporter::collectors {

std::optional<std::chrono::milliseconds> AllocatorCollector::interval(
    const settings::Settings& settings) const {
  if (!settings.memory.enabled) return std::nullopt;
  return settings.memory.interval;
}

bool AllocatorCollector::collect(const settings::Settings&, totals::VmFigures& figures) {
  if (const auto stat = os::read_process_stat(subject_.vm->process().directory()))
    figures.memory = totals::MemorySection{static_cast<double>(stat->resident_bytes),
                                           static_cast<double>(stat->virtual_bytes)};
  if (subject_.allocators == nullptr) return false;
  auto& [set, reader, segments] = *subject_.allocators;
  const auto before = reader.retries();
  const auto statistics = reader.read();
  subject_.totals->count_torn("allocators", reader.retries() - before);
  if (!statistics) return false;
  figures.allocators = allocator_section(set, *statistics);
  if (const auto cached = segments.cached_bytes(set, *statistics))
    figures.allocators->cached_segment_bytes = static_cast<double>(*cached);
  return true;
}

void AllocatorCollector::clear(const settings::Settings& settings,
                               totals::VmFigures& figures) const {
  if (!settings.memory.enabled) {
    figures.allocators.reset();
    figures.memory.reset();
  }
  if (!settings.memory.instances && figures.allocators) figures.allocators->instances.clear();
}

}  // namespace beam_exporter::collectors
