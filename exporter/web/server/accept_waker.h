#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace beam_exporter::web {

// Connects to one of our listening sockets again and again while it lives. civetweb 1.15 looks at
// its stop flag only when its accept loop wakes, every two seconds; a connection wakes it at once.
class AcceptWaker {
 public:
  // `host` is numeric. Throws std::system_error when no thread can be started.
  AcceptWaker(std::string host, bool ipv6, std::uint16_t port);
  AcceptWaker(const AcceptWaker&) = delete;
  AcceptWaker& operator=(const AcceptWaker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;  // last member: the thread ends before the members that it uses
};

}  // namespace beam_exporter::web
