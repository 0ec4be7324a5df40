#include "sampling/source_choice.h"

#include "sampling/ebpf_source.h"
#include "sampling/perf_source.h"
#include "sampling/tick_source.h"

namespace beam_exporter::sampling {

ChosenSource start_source(const beam::VirtualMachine& vm, SourceChoice choice, unsigned frequency) {
  ChosenSource chosen;
  const auto take = [&](std::string_view name, auto source) {
    if (source)
      chosen.source = std::move(*source);
    else
      chosen.refused.push_back({name, source.error()});
  };
  const auto wanted = [&](SourceChoice source) {
    return chosen.source == nullptr && (choice == source || choice == SourceChoice::automatic);
  };
  if (wanted(SourceChoice::ebpf)) take("ebpf", EbpfSource::start(vm, frequency));
  if (wanted(SourceChoice::tick)) take("tick", TickSource::start(vm, frequency));
  if (wanted(SourceChoice::perf)) take("perf", PerfSource::start(vm, frequency));
  return chosen;
}

std::string ChosenSource::complaint() const {
  std::string reasons;
  for (const auto& [name, error] : refused)
    // The tick is refused to whom eBPF is, for the same reason.
    if (reasons.find(error.text) == std::string::npos)
      reasons += (reasons.empty() ? "" : "; ") + error.text;
  if (source == nullptr) return "no CPU sampling: " + reasons;
  const bool blind = !source->sees_kernel();
  if (refused.empty()) return blind ? "time in system calls is not sampled: add CAP_PERFMON" : "";
  const std::string from = source->name() == "tick" ? "the kernel's tick" : "perf events";
  return "samples come from " + from + (blind ? " and miss time in system calls: " : ": ") +
         reasons;
}

}  // namespace beam_exporter::sampling
