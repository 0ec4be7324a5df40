#include "web/server/thread_room.h"

#include <chrono>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace beam_exporter::web {

namespace {

std::ptrdiff_t own_threads() {
  std::error_code ignored;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", ignored), {});
}

std::size_t started_at_once(std::size_t wanted) {
  std::mutex all_there;
  std::vector<std::jthread> threads;
  threads.reserve(wanted);
  const std::lock_guard until_counted(all_there);
  try {
    while (threads.size() < wanted)
      threads.emplace_back([&all_there] { const std::lock_guard lock(all_there); });
  } catch (const std::system_error&) {
    // The limit is reached.
  }
  return threads.size();
}

}  // namespace

std::size_t startable_threads(std::size_t wanted) {
  const auto before = own_threads();
  const std::size_t started = started_at_once(wanted);
  // A joined thread counts until the kernel has released it. That takes a moment; the loop has a
  // bound.
  for (int look = 0; started < wanted && own_threads() > before && look < 1000; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return started;
}

}  // namespace beam_exporter::web
