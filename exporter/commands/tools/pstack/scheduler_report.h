#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "session/views/scheduler_stacks.h"

// What `beam_exporter pstack` tells of the schedulers, for people and as JSON. Pure.
namespace beam_exporter::commands {

struct SchedulerReport {
  std::string target;                 // as session::describe
  bool sampled = false;               // false: the VM's memory alone tells
  std::chrono::nanoseconds window{};  // how long was looked; 0: once
  bool ended_early = false;           // the VM was gone before the end
  std::vector<session::SchedulerStack> schedulers;
};

struct SchedulerChoice {
  bool all = false;          // idle schedulers too
  bool only_erlang = false;  // without C functions
};

std::string scheduler_text(const SchedulerReport& report, const SchedulerChoice& choice);
std::string scheduler_json(const SchedulerReport& report, const SchedulerChoice& choice);

}  // namespace beam_exporter::commands
