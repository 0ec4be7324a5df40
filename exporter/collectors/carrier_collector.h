#pragma once

#include "collectors/collector.h"

namespace beam_exporter::collectors {

// Every carrier, one by one: fragmentation, and where the VM's resident pages are.
class CarrierCollector final : public Collector {
 public:
  explicit CarrierCollector(const Subject& subject) : subject_(subject) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override;
  bool collect(const settings::Settings& settings, totals::VmFigures& figures) override;
  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override;

 private:
  Subject subject_;
};

}  // namespace beam_exporter::collectors
