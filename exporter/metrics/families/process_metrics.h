#pragma once

#include <prometheus/collectable.h>

#include <filesystem>

#include "metrics/families/family_builder.h"
#include "os/process/process_stat.h"

namespace beam_exporter::metrics {

// The exporter as a process, under the names that every Prometheus client uses: process_*. Pure.
Families process_metrics(const os::ProcessStat& stat);

// process_metrics of a live process (default: the exporter itself), read at each call. When /proc
// cannot be read there are no families. Any thread.
class ProcessCollector : public prometheus::Collectable {
 public:
  explicit ProcessCollector(std::filesystem::path proc_dir = "/proc/self");
  Families Collect() const override;

 private:
  std::filesystem::path proc_dir_;
};

}  // namespace beam_exporter::metrics
