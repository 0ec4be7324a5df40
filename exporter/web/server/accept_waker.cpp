#include "web/server/accept_waker.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "os/unique_fd.h"

namespace beam_exporter::web {
namespace {

// Does not wait for the connection: the attempt alone wakes the accept loop.
void connect_once(const std::string& host, bool ipv6, std::uint16_t port) {
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (ipv6) {
    auto& address = reinterpret_cast<sockaddr_in6&>(storage);
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    inet_pton(AF_INET6, host.c_str(), &address.sin6_addr);
    length = sizeof address;
  } else {
    auto& address = reinterpret_cast<sockaddr_in&>(storage);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    length = sizeof address;
  }
  const os::UniqueFd fd(socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd) (void)connect(fd.get(), reinterpret_cast<sockaddr*>(&storage), length);
}

}  // namespace

AcceptWaker::AcceptWaker(std::string host, bool ipv6, std::uint16_t port)
    : thread_([this, host = std::move(host), ipv6, port](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
          connect_once(host, ipv6, port);
          stopping_.wait_for(lock, stop, std::chrono::milliseconds(20), [] { return false; });
        }
      }) {}

}  // namespace beam_exporter::web
