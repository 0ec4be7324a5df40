#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// Whether this build of civetweb serves IPv6.
bool ipv6_available();

// All of them, as a server may be told to listen on; whether they are free is found when it does.
// Errors, one line naming the address: as parse_listen_address; invalid_argument (none, or IPv6
// where civetweb has none).
os::Result<std::vector<ListenAddress>> parse_listen_addresses(
    const std::vector<std::string>& texts);

// "127.0.0.1:80", "[::1]:80".
std::string host_and_port(const std::string& host, bool ipv6, std::uint16_t port);

}  // namespace beam_exporter::web
