#include "sampling/tick/tick_source.h"

#include "os/monotonic_clock.h"

namespace beam_exporter::sampling {

os::Result<std::unique_ptr<TickSource>> TickSource::start(const beam::VirtualMachine& vm,
                                                          unsigned frequency) {
  auto program = load(vm, frequency, EbpfProgram::Trigger::tick, os::KernelStacks::left_out);
  if (!program) return program.error();
  const auto period = std::chrono::nanoseconds(std::chrono::seconds(1)) / frequency;
  std::unique_ptr<TickSource> source(new TickSource(vm, std::move(*program), period));
  if (auto watching = source->refresh_threads(); !watching) return watching.error();
  if (auto begun = source->program().begin_ticks(); !begun) return begun.error();
  return source;
}

os::Status TickSource::watch_growth(const beam::CarrierEntries&) {
  return os::Error{os::ErrorKind::unsupported,
                   "it needs perf_event_open, which the tick source does not use"};
}

os::Status TickSource::begin(pid_t tid, Watched& watched, const watched_thread& place) {
  const auto inside = os::innermost_tid(vm().process().directory(), tid);
  if (!inside)
    return os::Error{os::ErrorKind::gone, "thread " + std::to_string(tid) + " has ended"};
  return program().watch(static_cast<std::uint32_t>(*inside), watched.index, place);
}

std::chrono::nanoseconds TickSource::time_off_cpu(const Watched& watched,
                                                  const off_cpu_time& time) const {
  if (program().on_cpu_since(watched.index)) return {};
  return os::monotonic_now() - std::chrono::nanoseconds(time.left_at);
}

}  // namespace beam_exporter::sampling
