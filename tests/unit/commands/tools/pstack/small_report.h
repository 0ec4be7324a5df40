#pragma once

#include "commands/tools/pstack/scheduler_report.h"

namespace beam_exporter::commands {

// A sampled scheduler, one of which only memory tells, and an idle one.
inline SchedulerReport small_report() {
  using profile::FunctionKind;
  using session::StackOrigin;
  SchedulerReport report{
      .target = "a VM", .sampled = true, .window = std::chrono::milliseconds(250)};
  report.schedulers = {{.role = {beam::ThreadKind::normal, 1},
                        .tid = 71,
                        .kernel = os::KernelState{'R', ""},
                        .sleep_flags = "awake",
                        .origin = StackOrigin::sample,
                        .state = "gc",
                        .process = "<0.9.0>",
                        .name = "shop",
                        .status = "garbage_collecting",
                        .seen_for = std::chrono::milliseconds(200),
                        .ago = std::chrono::milliseconds(2),
                        .lines = {{FunctionKind::native, "sweep"},
                                  {FunctionKind::bif, "lists:reverse/2"},
                                  {FunctionKind::erlang, "shop:run/1 (shop.erl:12)"}}},
                       {.role = {beam::ThreadKind::normal, 2},
                        .origin = StackOrigin::memory,
                        .process = "<0.10.0>",
                        .name = "?",
                        .status = "running",
                        .last_seen_in = "stuck:hold/1"},
                       {.role = {beam::ThreadKind::dirty_cpu, 1},
                        .tid = 73,
                        .kernel = os::KernelState{'S', "futex_wait"},
                        .sleep_flags = "sleeping, waiting",
                        .lines = {{FunctionKind::native, "syscall"}}}};
  return report;
}

}  // namespace beam_exporter::commands
