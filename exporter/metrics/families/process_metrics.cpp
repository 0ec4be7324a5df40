#include "metrics/families/process_metrics.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace beam_exporter::metrics {
namespace {

std::optional<double> as_double(const std::optional<std::uint64_t>& value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

}  // namespace

Families process_metrics(const os::ProcessStat& stat) {
  Families out;
  FamilyBuilder("process_cpu_seconds_total")
      .add({}, stat.user_seconds + stat.system_seconds)
      .append_to(out);
  FamilyBuilder("process_open_fds").add({}, as_double(stat.open_fds)).append_to(out);
  FamilyBuilder("process_max_fds").add({}, as_double(stat.max_fds)).append_to(out);
  FamilyBuilder("process_virtual_memory_bytes")
      .add({}, static_cast<double>(stat.virtual_bytes))
      .append_to(out);
  FamilyBuilder("process_virtual_memory_max_bytes")
      .add({}, as_double(stat.max_virtual_bytes))
      .append_to(out);
  FamilyBuilder("process_resident_memory_bytes")
      .add({}, static_cast<double>(stat.resident_bytes))
      .append_to(out);
  FamilyBuilder("process_start_time_seconds").add({}, stat.start_time_seconds).append_to(out);
  return out;
}

ProcessCollector::ProcessCollector(std::filesystem::path proc_dir)
    : proc_dir_(std::move(proc_dir)) {}

Families ProcessCollector::Collect() const {
  const auto stat = os::read_process_stat(proc_dir_);
  return stat ? process_metrics(*stat) : Families{};
}

}  // namespace beam_exporter::metrics
