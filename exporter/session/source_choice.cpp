#include "session/source_choice.h"

#include "sampling/ebpf/ebpf_source.h"
#include "sampling/perf/perf_source.h"
#include "sampling/tick/tick_source.h"

namespace beam_exporter::session {

ChosenSource start_source(const beam::VirtualMachine& vm, sampling::SourceChoice choice,
                          unsigned frequency) {
  ChosenSource chosen;
  const auto take = [&](std::string_view name, auto source) {
    if (source)
      chosen.source = std::move(*source);
    else
      chosen.refused.push_back({name, source.error()});
  };
  const auto wanted = [&](sampling::SourceChoice source) {
    return chosen.source == nullptr &&
           (choice == source || choice == sampling::SourceChoice::automatic);
  };
  if (wanted(sampling::SourceChoice::ebpf))
    take("ebpf", sampling::EbpfSource::start(vm, frequency));
  if (wanted(sampling::SourceChoice::tick))
    take("tick", sampling::TickSource::start(vm, frequency));
  if (wanted(sampling::SourceChoice::perf))
    take("perf", sampling::PerfSource::start(vm, frequency));
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

}  // namespace beam_exporter::session
