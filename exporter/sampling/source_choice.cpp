#include "sampling/source_choice.h"

#include "sampling/ebpf_source.h"
#include "sampling/perf_source.h"

namespace beam_exporter::sampling {

ChosenSource start_source(const beam::VirtualMachine& vm, SourceChoice choice, unsigned frequency) {
  ChosenSource chosen;
  const auto take = [&](std::string_view name, auto source) {
    if (source)
      chosen.source = std::move(*source);
    else
      chosen.refused.push_back({name, source.error()});
  };
  if (choice != SourceChoice::perf) take("ebpf", EbpfSource::start(vm, frequency));
  if (chosen.source == nullptr && choice != SourceChoice::ebpf)
    take("perf", PerfSource::start(vm, frequency));
  return chosen;
}

std::string ChosenSource::complaint() const {
  std::string reasons;
  for (const auto& [name, error] : refused) reasons += (reasons.empty() ? "" : "; ") + error.text;
  if (source == nullptr) return "no CPU sampling: " + reasons;
  const bool blind = !source->sees_kernel();
  if (refused.empty()) return blind ? "time in system calls is not sampled: add CAP_PERFMON" : "";
  return "samples come from " + std::string(source->name()) + " events" +
         (blind ? " and miss time in system calls: " : ": ") + reasons;
}

}  // namespace beam_exporter::sampling
