#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/result.h"
#include "web/router.h"
#include "web/web_options.h"

namespace beam_exporter::web {

// A running HTTP server: civetweb and its threads. It serves from `start` until it is destroyed.
// The destructor closes every connection and joins every thread, within about a second unless a
// page takes longer. The composition root makes and ends it, one at a time. From `start` on the
// process ignores SIGPIPE. Requests do not start threads. An idle connection is closed after a
// second, and a client that does not read its answer is closed after ten.
class Server {
 public:
  // Listens on all addresses or on none. Errors, one line that names the address: invalid_argument
  // (no address given), not_permitted, system (the address is in use, no thread can be started).
  static os::Result<Server> start(const WebOptions& options, Router router);

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  // The addresses it listens on, in the order of the options. Port 0 is replaced by the real port:
  // "127.0.0.1:41234", "0.0.0.0:10125".
  const std::vector<std::string>& addresses() const;

 private:
  class Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace beam_exporter::web
