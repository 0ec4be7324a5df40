#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

// No exception ends the process. Where limits are tight, memory, threads or descriptors run out:
// then we give up the work that failed, log it, and try again later.
namespace beam_exporter::os {

// Does the work. Returns what the work threw, as one line for the log, or nullopt. Any thread.
std::optional<std::string> failure_of(const std::function<void()>& work) noexcept;

// How long to wait before failed work is tried again: a second at first, twice as long after each
// further failure, a minute at most. One thread.
class Backoff {
 public:
  std::chrono::seconds after_failure(std::chrono::nanoseconds now);

 private:
  std::chrono::seconds next_{0};
  std::chrono::nanoseconds failed_{};
};

}  // namespace beam_exporter::os
