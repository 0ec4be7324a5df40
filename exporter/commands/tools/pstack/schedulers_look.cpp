#include "commands/tools/pstack/schedulers_look.h"

#include <algorithm>
#include <iostream>

#include "beam/processes_of_vm.h"
#include "commands/tools/find_vm.h"
#include "commands/tools/interrupt.h"
#include "commands/tools/progress.h"
#include "commands/tools/share_text.h"
#include "os/monotonic_clock.h"
#include "session/attached_vm.h"
#include "session/views/scheduler_watch.h"

namespace beam_exporter::commands {

namespace {

// A thread that runs all the time has some 200 samples then, and at least a few where it gets only
// a small part of a CPU.
constexpr int look_frequency = 999;
constexpr auto usual_time = std::chrono::milliseconds(250);
constexpr auto look_step = std::chrono::milliseconds(100);

void watch_until_done(session::SchedulerWatch& watch, const SchedulersLook& look) {
  const Interrupt interrupt;
  const bool bounded = !look.until_all_worked || look.most_time.count() > 0;
  const std::chrono::nanoseconds most =
      look.until_all_worked ? std::chrono::nanoseconds(look.most_time) : usual_time;
  Progress progress("waiting until each scheduler runs", look.most_time);
  const auto began = os::monotonic_now();
  for (auto now = began; !bounded || now - began < most; now = os::monotonic_now()) {
    if (look.until_all_worked) {
      if (watch.all_worked()) return;
      progress.show(now - began);
    }
    const auto left = bounded ? began + most - now : std::chrono::nanoseconds::max();
    if (!watch.run_for(std::min<std::chrono::nanoseconds>(left, look_step), interrupt.descriptor()))
      return;
  }
}

}  // namespace

os::Result<SchedulerReport> look_at_schedulers(const ToolContext& context,
                                               const SchedulersLook& look) {
  auto settings = context.settings;
  settings.sampling.frequency = look_frequency;
  const auto target = find_vm(settings, context.layouts);
  if (!target) return target.error();
  const auto watch =
      session::SchedulerWatch::begin(*target, context.layouts, settings, look.idle_too);
  if (!watch) return watch.error();
  SchedulerReport report{.target = session::describe((*watch)->vm()),
                         .sampled = (*watch)->sampled()};
  const auto began = os::monotonic_now();
  // Without samples, more time shows nothing more.
  if (report.sampled) watch_until_done(**watch, look);
  if (look.until_all_worked && report.sampled && (*watch)->alive() && !(*watch)->all_worked())
    std::cerr << "beam_exporter: not every scheduler was seen at work in "
              << seconds_text(os::monotonic_now() - began) << "\n";
  report.schedulers = (*watch)->finish();
  report.window = os::monotonic_now() - began;
  report.ended_early = !(*watch)->alive();
  return report;
}

SchedulerReport schedulers_in_core(beam::VirtualMachine& vm) {
  (void)vm.code().refresh();
  const auto table = beam::process_table(vm);
  const auto ids = table ? std::optional(table->id_form()) : std::nullopt;
  return {.target = session::describe(vm),
          .schedulers = session::scheduler_stacks(vm, ids, {}, os::monotonic_now(), true)};
}

}  // namespace beam_exporter::commands
