#pragma once

#include <cstdint>
#include <string>

#include "os/result.h"

namespace beam_exporter::web {

struct ListenAddress {
  std::string given;  // as the user wrote it
  std::string host;   // numeric; empty: every address of this machine
  std::uint16_t port = 0;
  bool ipv6 = false;
};

// "host:port", "[ipv6]:port" or ":port"; a host name is looked up, its IPv4 address wins.
// Errors: invalid_argument, not_found (no such host).
os::Result<ListenAddress> parse_listen_address(const std::string& text);

// "127.0.0.1:80", "[::1]:80".
std::string host_and_port(const std::string& host, bool ipv6, std::uint16_t port);

}  // namespace beam_exporter::web
