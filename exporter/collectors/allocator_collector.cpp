#include "collectors/memory_figures.h"
#include "collectors/registry.h"
#include "os/process/process_stat.h"

namespace beam_exporter::collectors {

namespace {

// Reads the allocators' own statistics, and the VM's memory as the kernel counts it.
class AllocatorCollector final : public Collector {
 public:
  explicit AllocatorCollector(const Subject& subject) : subject_(subject) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.memory.enabled) return std::nullopt;
    return settings.memory.interval;
  }

  bool collect(const settings::Settings&, totals::VmFigures& figures) override {
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

  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (!settings.memory.enabled) {
      figures.allocators.reset();
      figures.memory.reset();
    }
    if (!settings.memory.instances && figures.allocators) figures.allocators->instances.clear();
  }

 private:
  Subject subject_;
};

}  // namespace

std::unique_ptr<Collector> make_allocator_collector(const Subject& subject) {
  return std::make_unique<AllocatorCollector>(subject);
}

}  // namespace beam_exporter::collectors
