#include "collectors/memory_figures.h"
#include "collectors/registry.h"
#include "collectors/resident_parts.h"

namespace beam_exporter::collectors {

namespace {

// Every carrier, one by one: fragmentation, and where the VM's resident pages are.
class CarrierCollector final : public Collector {
 public:
  explicit CarrierCollector(const Subject& subject) : subject_(subject) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.memory.enabled || !settings.memory.carriers) return std::nullopt;
    return settings.memory.carrier_interval;
  }

  bool collect(const settings::Settings&, totals::VmFigures& figures) override {
    if (subject_.allocators == nullptr) return false;
    auto& [set, reader, segments] = *subject_.allocators;
    const auto walk =
        beam::walk_carriers(subject_.vm->layout(), subject_.vm->memory(), set, reader);
    subject_.totals->count_torn("carriers", walk.retries);
    if (!walk.whole) return false;
    figures.fragmentation = fragmentation(set, walk);
    const auto directory = subject_.vm->process().directory();
    const auto uses = os::read_smaps(directory);
    if (!uses) return true;
    const BesideCarriers beside{.literal_area = segments.literal_area(),
                                .cached_segments = segments.cached_segments()};
    figures.resident_parts =
        resident_parts(*uses, walk.carriers, beside, [&](std::span<const os::AddressRange> ranges) {
          return os::resident_bytes(directory, ranges);
        });
    return true;
  }

  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (interval(settings)) return;
    figures.fragmentation.reset();
    figures.resident_parts.reset();
  }

 private:
  Subject subject_;
};

}  // namespace

std::unique_ptr<Collector> make_carrier_collector(const Subject& subject) {
  return std::make_unique<CarrierCollector>(subject);
}

}  // namespace beam_exporter::collectors
