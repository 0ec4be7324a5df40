#include "beam/schedulers/vitals.h"
#include "collectors/registry.h"

namespace beam_exporter::collectors {

namespace {

// Reads the VM's own counters, limits and run queues.
class VitalsCollector final : public Collector {
 public:
  explicit VitalsCollector(const Subject& subject)
      : totals_(subject.totals),
        reader_(subject.vm->layout(), subject.vm->image(), subject.vm->static_data(),
                subject.vm->memory(), subject.vm->schedulers()) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override {
    if (!settings.vitals.enabled) return std::nullopt;
    return settings.vitals.interval;
  }

  bool collect(const settings::Settings&, totals::VmFigures& figures) override {
    auto vitals = reader_.read();
    if (!vitals) {
      totals_->count_torn("vitals", 1);
      return false;
    }
    totals_->take(*vitals);
    figures.vitals = std::move(*vitals);
    return true;
  }

  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override {
    if (!settings.vitals.enabled) figures.vitals.reset();
  }

 private:
  totals::CollectorTotals* totals_;
  beam::VitalsReader reader_;
};

}  // namespace

std::unique_ptr<Collector> make_vitals_collector(const Subject& subject) {
  return std::make_unique<VitalsCollector>(subject);
}

}  // namespace beam_exporter::collectors
