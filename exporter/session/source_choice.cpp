#include "session/source_choice.h"

#include "os/process/descriptors.h"
#include "sampling/ebpf/ebpf_source.h"
#include "sampling/perf/perf_source.h"
#include "sampling/tick/tick_source.h"

namespace beam_exporter::session {

std::string ThreadRoom::reason_for_tick() const {
  const std::uint64_t needed = threads * sampling::EbpfSource::descriptors_per_thread;
  if (growth_wanted || needed + sampling::EbpfSource::descriptors_of_program <= descriptors_left)
    return "";
  return "samples come from the kernel's tick, since eBPF would take " + std::to_string(needed) +
         " descriptors for " + std::to_string(threads) + " threads: the limit of " +
         std::to_string(descriptor_limit) + " files leaves " + std::to_string(descriptors_left);
}

std::vector<sampling::SourceChoice> sources_to_try(sampling::SourceChoice choice,
                                                   const ThreadRoom& room) {
  using enum sampling::SourceChoice;
  if (choice != automatic) return {choice};
  if (!room.reason_for_tick().empty()) return {tick, ebpf, perf};
  return {ebpf, tick, perf};
}

namespace {

ThreadRoom room_beside(const beam::VirtualMachine& vm, bool growth_wanted) {
  return {.threads = sampling::threads_to_sample(vm.process().directory()),
          .descriptors_left = os::descriptors_left(),
          .descriptor_limit = os::descriptor_limit(),
          .growth_wanted = growth_wanted};
}

}  // namespace

ChosenSource start_source(const beam::VirtualMachine& vm, sampling::SourceChoice choice,
                          unsigned frequency, bool growth_wanted, os::KernelStacks kernel) {
  const bool automatic = choice == sampling::SourceChoice::automatic;
  const ThreadRoom room = automatic ? room_beside(vm, growth_wanted) : ThreadRoom{};
  ChosenSource chosen;
  const auto take = [&](std::string_view name, auto source) {
    if (source)
      chosen.source = std::move(*source);
    else
      chosen.refused.push_back({name, source.error()});
  };
  for (const sampling::SourceChoice next : sources_to_try(choice, room)) {
    if (chosen.source != nullptr) break;
    if (next == sampling::SourceChoice::ebpf)
      take("ebpf", sampling::EbpfSource::start(vm, frequency, kernel));
    if (next == sampling::SourceChoice::tick)
      take("tick", sampling::TickSource::start(vm, frequency));
    if (next == sampling::SourceChoice::perf)
      take("perf", sampling::PerfSource::start(vm, frequency, kernel));
  }
  if (automatic && chosen.refused.empty() && chosen.source != nullptr &&
      chosen.source->name() == "tick")
    chosen.remark = room.reason_for_tick();
  return chosen;
}

std::string ChosenSource::complaint() const {
  std::string reasons;
  for (const auto& [name, error] : refused)
    // Whoever may not use eBPF may not use the tick either, for the same reason: name it once.
    if (reasons.find(error.text) == std::string::npos)
      reasons += (reasons.empty() ? "" : "; ") + error.text;
  if (source == nullptr) return "no CPU sampling: " + reasons;
  // eBPF is the best source: nothing is lost, even if the tick was tried first to save descriptors.
  if (source->name() == "ebpf") return "";
  const bool blind = !source->sees_kernel();
  if (refused.empty()) return blind ? "time in system calls is not sampled: add CAP_PERFMON" : "";
  const std::string from = source->name() == "tick" ? "the kernel's tick" : "perf events";
  return "samples come from " + from + (blind ? " and miss time in system calls: " : ": ") +
         reasons;
}

}  // namespace beam_exporter::session
