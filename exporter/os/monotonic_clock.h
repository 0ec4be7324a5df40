#pragma once

#include <time.h>

#include <chrono>

namespace beam_exporter::os {

// CLOCK_MONOTONIC, the clock the kernel stamps samples with.
inline std::chrono::nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace beam_exporter::os
