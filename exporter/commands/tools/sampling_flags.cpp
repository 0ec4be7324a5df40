#include "commands/tools/sampling_flags.h"

#include <algorithm>
#include <chrono>
#include <iostream>

#include "commands/tools/find_vm.h"
#include "commands/tools/interrupt.h"
#include "commands/tools/progress.h"
#include "commands/tools/share_text.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::commands {

namespace {

constexpr auto progress_interval = std::chrono::milliseconds(200);

}  // namespace

std::vector<Flag> SamplingFlags::flags() {
  return {{"--duration", "SECONDS", "how long to sample", Number{&seconds_, 1, 86400}},
          frequency()};
}

Flag SamplingFlags::frequency() {
  return {"--frequency", "HZ", "samples per second of CPU time of each thread",
          Number{&frequency_, 1, 10000}};
}

Flag SamplingFlags::include_kernel() {
  return {"--include-kernel", "", "show the functions of the kernel too", &include_kernel_};
}

void SamplingFlags::read_kernel_symbols() {
  if (include_kernel_)
    kernel_ = std::make_shared<const os::KernelSymbols>(os::KernelSymbols::read());
}

os::Result<std::unique_ptr<session::Recording>> SamplingFlags::begin(
    const ToolContext& context, const std::vector<std::string>& blamed) const {
  auto settings = context.settings;
  settings.sampling.frequency = static_cast<int>(frequency_);
  const auto target = find_vm(settings, context.layouts);
  if (!target) return target.error();
  return session::Recording::begin(*target, context.layouts, settings, {blamed, kernel_});
}

os::Result<profile::Profile> SamplingFlags::record(const ToolContext& context,
                                                   const std::vector<std::string>& blamed) const {
  const Interrupt interrupt;
  const auto recording = begin(context, blamed);
  if (!recording) return recording.error();
  const std::chrono::seconds duration(seconds_);
  Progress progress("recording", duration);
  const auto began = os::monotonic_now();
  for (auto now = began; now < began + duration; now = os::monotonic_now()) {
    progress.show(now - began);
    const auto step = std::min<std::chrono::nanoseconds>(began + duration - now, progress_interval);
    if (!(*recording)->run_for(step, interrupt.descriptor())) break;
  }
  progress.done();
  auto profile = (*recording)->take();
  if (profile && profile->ended_early)
    std::cerr << "beam_exporter: the VM ended after " << seconds_text(profile->duration)
              << "; this is what was recorded until then\n";
  return profile;
}

}  // namespace beam_exporter::commands
