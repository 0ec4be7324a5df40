#pragma once

#include "beam/schedulers/vitals.h"
#include "collectors/collector.h"

namespace beam_exporter::collectors {

// The VM's own counters, limits and run queues.
class VitalsCollector final : public Collector {
 public:
  explicit VitalsCollector(const Subject& subject);

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override;
  bool collect(const settings::Settings& settings, totals::VmFigures& figures) override;
  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override;

 private:
  totals::CollectorTotals* totals_;
  beam::VitalsReader reader_;
};

}  // namespace beam_exporter::collectors
