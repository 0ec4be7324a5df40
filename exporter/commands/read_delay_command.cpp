#include "commands/read_delay_command.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "beam/code/stack_walker.h"
#include "os/monotonic_clock.h"
#include "sampling/ebpf/ebpf_source.h"
#include "sampling/perf/remote_reader.h"
#include "session/attached_vm.h"

namespace beam_exporter::commands {

namespace {

struct Pair {
  sampling::RawSample instant, late;
};

std::set<beam::Mfa> functions(const beam::ErlangStack& stack) {
  std::set<beam::Mfa> all;
  for (const auto& frame : stack.frames) all.insert(frame.mfa);
  return all;
}

void compare(const Pair& pair, beam::CodeIndex& code, ReadDelayReport& report) {
  const auto& [instant, late] = pair;
  if (!instant.process) return;
  ++report.samples;
  report.delays.push_back(late.read_delay);
  if (!late.process && !late.process_unreadable) {
    ++report.no_process;
  } else if (!late.process || late.process->id != instant.process->id) {
    ++report.other_process;
  } else {
    const auto truth = beam::walk_stack(code, instant.top, instant.words(), instant.time);
    const auto guess = beam::walk_stack(code, late.top, late.words(), late.time);
    const bool both_empty = truth.frames.empty() && guess.frames.empty();
    if (!both_empty && (truth.frames.empty() || guess.frames.empty() ||
                        truth.frames.front().mfa != guess.frames.front().mfa))
      ++report.other_function;
    else if (functions(truth) != functions(guess))
      ++report.other_callers;
  }
}

std::chrono::nanoseconds quantile(const ReadDelayReport& report, double part) {
  const auto last = static_cast<double>(report.delays.size() - 1);
  return report.delays[static_cast<std::size_t>(part * last)];
}

double microseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

os::Result<ReadDelayReport> measure_read_delay(const os::Process& process,
                                               const beam::LayoutLibrary& library,
                                               std::chrono::seconds duration, unsigned frequency) {
  const auto attached = session::attach_to(process, library);
  if (!attached) return attached.error();
  auto& vm = *attached->vm;
  if (auto proven = session::prove(vm); !proven) return proven.error();
  auto source = sampling::EbpfSource::start(vm, frequency);
  if (!source)
    return os::Error{source.error().kind,
                     "what is late is measured against eBPF samples: " + source.error().text};

  ReadDelayReport report{.pid = process.pid()};
  sampling::NativeReader native(vm);
  sampling::RemoteReader reader(vm, native);
  std::vector<Pair> pairs;
  (*source)->set_perf_comparison([&](const sampling::RawSample& instant, const os::PerfSample& same,
                                     const beam::Scheduler* scheduler) {
    if (scheduler == nullptr) return;
    pairs.push_back({instant, {}});
    reader.complete(same, scheduler, pairs.back().late);
  });
  sampling::SampleBatch batch;
  const auto ends = os::monotonic_now() + duration;
  while (os::monotonic_now() < ends && process.running()) {
    auto waiting = (*source)->descriptors();
    constexpr int longest_wait_milliseconds = 100;
    poll(waiting.data(), waiting.size(), longest_wait_milliseconds);
    batch.clear();
    pairs.clear();
    (*source)->collect(batch);
    if (!vm.code().refresh()) {
      report.not_compared += pairs.size();
      continue;
    }
    for (const auto& pair : pairs) compare(pair, vm.code(), report);
  }
  const auto losses = (*source)->losses();
  for (const auto count : losses.count) report.not_compared += count;
  std::ranges::sort(report.delays);
  return report;
}

std::string read_delay_text(const ReadDelayReport& report) {
  const std::string head = "pid " + std::to_string(report.pid) +
                           ": what the perf source would have read late, against the instant\n";
  if (report.samples == 0)
    return head + "no scheduler executed a process in that time: there is nothing to compare" +
           (report.not_compared == 0
                ? "\n"
                : " (samples not compared: " + std::to_string(report.not_compared) + ")\n");
  const auto line = [&](const char* what, std::uint64_t count) {
    char text[128];
    std::snprintf(text, sizeof text, "%-44s %8lu  %6.2f %%\n", what,
                  static_cast<unsigned long>(count),
                  100.0 * static_cast<double>(count) / static_cast<double>(report.samples));
    return std::string(text);
  };
  char delays[160];
  std::snprintf(delays, sizeof delays,
                "late by (us): median %.0f, 90 %% %.0f, 99 %% %.0f, at most %.0f\n",
                microseconds(quantile(report, 0.5)), microseconds(quantile(report, 0.9)),
                microseconds(quantile(report, 0.99)), microseconds(quantile(report, 1)));
  return head + line("samples of executing schedulers", report.samples) +
         line("no process any more", report.no_process) +
         line("another process", report.other_process) +
         line("another function on top", report.other_function) +
         line("other callers", report.other_callers) +
         line("not compared, besides these", report.not_compared) + delays;
}

std::string read_delay_json(const ReadDelayReport& report) {
  nlohmann::ordered_json json = {{"pid", report.pid},
                                 {"samples", report.samples},
                                 {"no_process", report.no_process},
                                 {"other_process", report.other_process},
                                 {"other_function", report.other_function},
                                 {"other_callers", report.other_callers},
                                 {"not_compared", report.not_compared},
                                 {"delay_microseconds", nullptr}};
  if (!report.delays.empty())
    json["delay_microseconds"] = {{"p50", microseconds(quantile(report, 0.5))},
                                  {"p90", microseconds(quantile(report, 0.9))},
                                  {"p99", microseconds(quantile(report, 0.99))},
                                  {"max", microseconds(quantile(report, 1))}};
  return json.dump(2) + "\n";
}

}  // namespace beam_exporter::commands
