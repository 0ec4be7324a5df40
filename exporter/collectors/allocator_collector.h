#pragma once

#include "collectors/collector.h"

namespace beam_exporter::collectors {

// The allocators' own statistics, and the VM's memory as the kernel counts it.
class AllocatorCollector final : public Collector {
 public:
  explicit AllocatorCollector(const Subject& subject) : subject_(subject) {}

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override;
  bool collect(const settings::Settings& settings, totals::VmFigures& figures) override;
  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override;

 private:
  Subject subject_;
};

}  // namespace beam_exporter::collectors
