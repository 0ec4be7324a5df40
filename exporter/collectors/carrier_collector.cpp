#include "collectors/carrier_look.h"
#include "collectors/memory_figures.h"
#include "collectors/registry.h"

namespace beam_exporter::collectors {

namespace {

// Looks at every carrier: fragmentation, and where the VM's resident pages are.
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
    const auto look = look_at_carriers(*subject_.vm, *subject_.allocators);
    subject_.totals->count_torn("carriers", look.walk.retries);
    if (!look.walk.whole) return false;
    figures.fragmentation = fragmentation(subject_.allocators->set, look.walk);
    if (look.parts) figures.resident_parts = look.parts;
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
