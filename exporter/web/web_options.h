#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "web/message.h"

namespace beam_exporter::web {

// Asked before every page; an answer refuses the request (401, 403). Several threads at once.
using Authenticator = std::function<std::optional<Response>(const Request&)>;

struct WebOptions {
  // "host:port", "[ipv6]:port" or ":port" for every address; port 0 takes a free one.
  std::vector<std::string> listen_addresses = {":10125"};
  std::string telemetry_path = "/metrics";  // neither / nor in /-/, where other pages are
  int max_requests = 40;        // scrapes answered at once, the rest get 503; 0: no limit
  Authenticator authenticator;  // empty: everybody may
  // Given to civetweb as they are, with every listen address speaking TLS: the seam for
  // --web.config.file. Empty: plain HTTP.
  std::vector<std::pair<std::string, std::string>> tls_options;
  // What the HTTP library has to complain about (one line), for the log. Any thread; may be empty.
  std::function<void(const std::string&)> on_complaint;
};

}  // namespace beam_exporter::web
