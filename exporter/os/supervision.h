#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

// No exception ends the process. Memory, threads and descriptors run out where limits are tight:
// what failed is then let go, said in the log, and tried again.
namespace beam_exporter::os {

// Does the work; what it threw, in one line for the log, or nullopt. Any thread.
std::optional<std::string> failure_of(const std::function<void()>& work) noexcept;

// How long to wait before what failed is tried again: a second, twice as long with each failure
// that follows, a minute at most. One thread.
class Backoff {
 public:
  std::chrono::seconds after_failure(std::chrono::nanoseconds now);

 private:
  std::chrono::seconds next_{0};
  std::chrono::nanoseconds failed_{};
};

}  // namespace beam_exporter::os
