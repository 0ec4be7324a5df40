#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "beam/processes/process_scan.h"
#include "beam/terms/atoms.h"
#include "collectors/collector.h"

namespace beam_exporter::collectors {

// Every process: its heap and its message queue; the largest of them by name.
class ProcessCollector final : public Collector {
 public:
  explicit ProcessCollector(const Subject& subject);

  std::optional<std::chrono::milliseconds> interval(
      const settings::Settings& settings) const override;
  bool collect(const settings::Settings& settings, totals::VmFigures& figures) override;
  void clear(const settings::Settings& settings, totals::VmFigures& figures) const override;

 private:
  std::vector<totals::NamedProcess> name_largest(const std::vector<beam::ScannedProcess>& largest,
                                                 std::size_t top,
                                                 std::uint64_t beam::ScannedProcess::*value);

  Subject subject_;
  std::optional<os::Address> table_;  // erts_proc
  std::optional<beam::Atoms> atoms_;  // of this thread: the observing one has its own
};

}  // namespace beam_exporter::collectors
