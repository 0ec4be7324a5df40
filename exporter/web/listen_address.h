#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "os/result.h"

namespace beam_exporter::web {

// An address that a server can listen on: the host name has been looked up.
struct ListenAddress {
  std::string given;  // as the user wrote it
  std::string host;   // numeric; empty: every address of this machine
  std::uint16_t port = 0;
  bool ipv6 = false;
};

// Parses "host:port", "[ipv6]:port" or ":port". Looks up a host name, which may take as long as the
// resolver takes; an IPv4 address of the name wins. Errors: invalid_argument, not_found (no such
// host).
os::Result<ListenAddress> parse_listen_address(const std::string& text);

// Whether this build of civetweb serves IPv6.
bool ipv6_available();

// Parses all of them, or fails at the first bad one. It does not test whether the ports are free:
// Server::start does. Errors, one line that names the address: those of parse_listen_address;
// invalid_argument (an empty list, or IPv6 where civetweb has none).
os::Result<std::vector<ListenAddress>> parse_listen_addresses(
    const std::vector<std::string>& texts);

// As users write it: "127.0.0.1:80", "[::1]:80".
std::string host_and_port(const std::string& host, bool ipv6, std::uint16_t port);

}  // namespace beam_exporter::web
