#pragma once

#include <optional>
#include <string_view>

namespace beam_exporter::text {

// "host:port", "[ipv6]:port" or ":port" in its parts. The parts are not checked.
struct HostAndPort {
  std::string_view host;   // without brackets
  bool bracketed = false;  // the host was written in brackets
  std::string_view port;
};

// Splits at the last colon. nullopt: the text has no colon. The parts point into `text`. Called for
// listen addresses by settings and by web. Any thread.
std::optional<HostAndPort> split_host_and_port(std::string_view text);

}  // namespace beam_exporter::text
