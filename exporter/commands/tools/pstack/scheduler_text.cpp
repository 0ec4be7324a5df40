#include <array>

#include "commands/tools/pstack/scheduler_report.h"
#include "text/printed.h"
#include "text/visible.h"

namespace beam_exporter::commands {

namespace {

using session::SchedulerStack;
using session::StackOrigin;

// What is younger is now, for a person.
constexpr auto is_now = std::chrono::milliseconds(10);

std::string time_text(std::chrono::nanoseconds time) {
  return text::printed("%.2f s", std::chrono::duration<double>(time).count());
}

std::string kernel_text(const SchedulerStack& scheduler) {
  if (!scheduler.kernel) return "";
  return std::string(1, scheduler.kernel->letter) +
         (scheduler.kernel->place.empty() ? "" : " in " + scheduler.kernel->place);
}

// "1 of 2 normal, 0 of 2 dirty_cpu, 0 of 10 dirty_io".
std::string counts_text(const SchedulerReport& report) {
  std::array<std::pair<unsigned, unsigned>, beam::thread_kind_names.size()> counts{};
  for (const auto& scheduler : report.schedulers) {
    auto& [run, all] = counts[static_cast<std::size_t>(scheduler.role.kind)];
    run += scheduler.runs() || scheduler.port ? 1 : 0;
    ++all;
  }
  std::string text;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind].second == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(counts[kind].first) + " of " +
            std::to_string(counts[kind].second) + " " + std::string(beam::thread_kind_names[kind]);
  }
  return text;
}

std::string head_text(const SchedulerReport& report) {
  const auto counts = counts_text(report) + " schedulers";
  if (report.sampled)
    return report.target + ": " + counts + " ran something in " + time_text(report.window);
  return report.target + ": " + counts +
         " run something\nNo samples: of a process that runs, the stack is from memory and may be "
         "stale.";
}

std::string work_text(const SchedulerStack& scheduler) {
  std::string text = scheduler.process.empty() ? "no process" : scheduler.process;
  if (!scheduler.name.empty()) text += " " + text::visible(scheduler.name);
  if (!scheduler.status.empty()) text += ", " + scheduler.status;
  if (!scheduler.state.empty()) text += ", state " + scheduler.state;
  if (scheduler.origin == StackOrigin::blocked)
    text += ", off the CPU" + (scheduler.kernel && scheduler.kernel->letter != 'R'
                                   ? " (" + kernel_text(scheduler) + ")"
                                   : "");
  if (scheduler.origin == StackOrigin::memory) text += ", seen in memory only";
  if (scheduler.seen_for && *scheduler.seen_for >= is_now)
    text += ", seen for " + time_text(*scheduler.seen_for);
  if (scheduler.ago >= is_now) text += ", " + time_text(scheduler.ago) + " ago";
  return text;
}

std::string idle_text(const SchedulerStack& scheduler) {
  std::string text = scheduler.port ? "runs a port" : "idle";
  if (scheduler.sleep_flags) text += "; " + *scheduler.sleep_flags;
  if (scheduler.kernel) text += "; " + kernel_text(scheduler);
  return text;
}

std::string stack_text(const SchedulerStack& scheduler, const SchedulerChoice& choice) {
  std::string text = "\n" + std::string(name_of(scheduler.role.kind)) + " " +
                     std::to_string(scheduler.role.number);
  if (scheduler.tid) text += " (thread " + std::to_string(*scheduler.tid) + ")";
  text += ": " + (scheduler.runs() ? work_text(scheduler) : idle_text(scheduler)) + "\n";
  if (!scheduler.last_seen_in.empty())
    text += "    last seen in: " + text::visible(scheduler.last_seen_in) + "\n";
  for (const auto& line : scheduler.lines)
    if (!choice.only_erlang || line.kind != profile::FunctionKind::native)
      text += "    " + text::visible(line.text) + "\n";
  if (scheduler.runs() && scheduler.lines.empty()) text += "    no frame could be told\n";
  return text;
}

}  // namespace

std::string scheduler_text(const SchedulerReport& report, const SchedulerChoice& choice) {
  std::string text = head_text(report) + "\n";
  for (const auto& scheduler : report.schedulers)
    if (choice.all || scheduler.runs() || scheduler.port) text += stack_text(scheduler, choice);
  return text;
}

}  // namespace beam_exporter::commands
