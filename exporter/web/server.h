#pragma once

#include <memory>
#include <string>
#include <vector>

#include "os/result.h"
#include "web/router.h"
#include "web/web_options.h"

namespace beam_exporter::web {

// A running HTTP server: civetweb and its threads. Serves from `start` until its end, which closes
// every connection and joins every thread, within about a second unless a page takes longer.
// Made and ended by the composition root, one at a time; the process ignores SIGPIPE from then on.
// No thread is made for a request; an idle connection is closed after a second, a client that does
// not take its answer after ten.
class Server {
 public:
  // Listens on all addresses or on none. Errors, one line naming the address: as
  // parse_listen_addresses; not_permitted, system (in use).
  static os::Result<Server> start(const WebOptions& options, Router router);

  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  // What it listens on, in the order of the options, with the ports that port 0 became:
  // "127.0.0.1:41234", "0.0.0.0:10125".
  const std::vector<std::string>& addresses() const;

 private:
  class Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace beam_exporter::web
