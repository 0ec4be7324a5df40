#include "os/supervision.h"

#include <algorithm>
#include <new>
#include <system_error>

namespace beam_exporter::os {

namespace {

constexpr std::chrono::seconds shortest_wait{1}, longest_wait{60};
// After this long without a failure, the next one is new trouble: the wait starts again at a
// second.
constexpr std::chrono::minutes trouble_lasts{5};

std::string text_of(const std::system_error& error) {
  std::string text = error.what();
  if (error.code() == std::errc::resource_unavailable_try_again)
    text += " (no further thread can be started: raise pids.max or ulimit -u)";
  return text;
}

}  // namespace

std::optional<std::string> failure_of(const std::function<void()>& work) noexcept {
  // Short enough for std::string to keep it without allocating.
  constexpr const char* no_memory = "out of memory";
  try {
    try {
      work();
      return std::nullopt;
    } catch (const std::bad_alloc&) {
      return no_memory;
    } catch (const std::system_error& error) {
      return text_of(error);
    } catch (const std::exception& error) {
      return error.what();
    }
  } catch (const std::bad_alloc&) {
    return no_memory;
  } catch (...) {
    return "unknown";
  }
}

std::chrono::seconds Backoff::after_failure(std::chrono::nanoseconds now) {
  const bool again = next_.count() > 0 && now - failed_ < trouble_lasts;
  next_ = again ? std::min(2 * next_, longest_wait) : shortest_wait;
  failed_ = now;
  return next_;
}

}  // namespace beam_exporter::os
