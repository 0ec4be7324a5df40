#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "web/listen_address.h"
#include "web/message.h"

namespace beam_exporter::web {

// Called before every page. An answer refuses the request (401, 403). Several threads at once.
using Authenticator = std::function<std::optional<Response>(const Request&)>;

struct WebOptions {
  std::vector<ListenAddress> listen_addresses;  // at least one; port 0 takes a free port
  std::string telemetry_path = "/metrics";      // not that of another page, as settings/ checks
  int max_requests = 40;        // scrapes answered at once, the rest get 503; 0: no limit
  Authenticator authenticator;  // empty: everybody may read
  // Passed to civetweb unchanged; every listen address then speaks TLS. This is the place for
  // --web.config.file. Empty: plain HTTP.
  std::vector<std::pair<std::string, std::string>> tls_options;
  // Receives the complaints of the HTTP library, one line each, for the log. Any thread; may be
  // empty.
  std::function<void(const std::string&)> on_complaint;
};

}  // namespace beam_exporter::web
