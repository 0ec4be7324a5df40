#include "collectors/vitals_collector.h"

namespace beam_exporter::collectors {

VitalsCollector::VitalsCollector(const Subject& subject)
    : totals_(subject.totals),
      reader_(subject.vm->layout(), subject.vm->image(), subject.vm->static_data(),
              subject.vm->memory(), subject.vm->schedulers()) {}

std::optional<std::chrono::milliseconds> VitalsCollector::interval(
    const settings::Settings& settings) const {
  if (!settings.vitals.enabled) return std::nullopt;
  return settings.vitals.interval;
}

bool VitalsCollector::collect(const settings::Settings&, totals::VmFigures& figures) {
  auto vitals = reader_.read();
  if (!vitals) {
    totals_->count_torn("vitals", 1);
    return false;
  }
  totals_->take(*vitals);
  figures.vitals = std::move(*vitals);
  return true;
}

void VitalsCollector::clear(const settings::Settings& settings, totals::VmFigures& figures) const {
  if (!settings.vitals.enabled) figures.vitals.reset();
}

}  // namespace beam_exporter::collectors
