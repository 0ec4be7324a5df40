#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"

// How busy the VM was in the time of a profile. Pure.
namespace beam_exporter::commands {

struct ThreadLoad {
  std::string kind;  // "normal", "dirty_cpu", ...
  int number = 0;
  double cpus = 0;  // CPU time per second; in busy wait too
};

struct Load {
  double cpus = 0;                                            // of all threads
  std::vector<ThreadLoad> threads;                            // that ran, the busiest first
  std::vector<std::pair<std::string, std::uint64_t>> states;  // samples, the largest first
};

Load load_of(const profile::Profile& profile);

// "2.00 CPUs: normal 1 99 %, normal 2 98 %, ..." and "states: emulator 81 %, gc 12 %".
std::string threads_text(const Load& load);
std::string states_text(const Load& load);

}  // namespace beam_exporter::commands
