#include "web/listen_address.h"

#include <arpa/inet.h>
#include <civetweb.h>
#include <netdb.h>
#include <sys/socket.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "text/host_and_port.h"

namespace beam_exporter::web {
namespace {

os::Error refused(const std::string& text, const std::string& why,
                  os::ErrorKind kind = os::ErrorKind::invalid_argument) {
  return {kind, "listen address \"" + text + "\": " + why};
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

// Fills host and ipv6 from a name or a numeric address. Returns the reason when it cannot, else "".
std::string resolve(const std::string& name, ListenAddress& address) {
  addrinfo wish{};
  wish.ai_socktype = SOCK_STREAM;
  wish.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  if (const int error = getaddrinfo(name.c_str(), nullptr, &wish, &list))
    return gai_strerror(error);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);

  const addrinfo* chosen = list;
  for (const auto* one = list; one; one = one->ai_next) {
    if (one->ai_family != AF_INET) continue;
    chosen = one;
    break;
  }
  char text[NI_MAXHOST];
  if (const int error = getnameinfo(chosen->ai_addr, chosen->ai_addrlen, text, sizeof text, nullptr,
                                    0, NI_NUMERICHOST))
    return gai_strerror(error);
  address.host = text;
  address.ipv6 = chosen->ai_family == AF_INET6;
  return "";
}

}  // namespace

os::Result<ListenAddress> parse_listen_address(const std::string& text) {
  const auto parts = text::split_host_and_port(text);
  if (!parts) return refused(text, "no port; write host:port or :port");
  const std::string host(parts->host);
  const auto port = port_number(parts->port);
  if (!port) return refused(text, "the port is not a number from 0 to 65535");
  if (!parts->bracketed && host.find(':') != std::string::npos)
    return refused(text,
                   "an IPv6 address stands in brackets: [" + host + "]:" + std::to_string(*port));

  ListenAddress address;
  address.given = text;
  address.port = *port;
  if (host.empty() && !parts->bracketed) return address;
  if (const auto why = resolve(host, address); !why.empty())
    return refused(text, why, os::ErrorKind::not_found);
  return address;
}

bool ipv6_available() { return mg_check_feature(MG_FEATURES_IPV6) != 0; }

os::Result<std::vector<ListenAddress>> parse_listen_addresses(
    const std::vector<std::string>& texts) {
  if (texts.empty()) return os::Error{os::ErrorKind::invalid_argument, "no listen address"};
  std::vector<ListenAddress> addresses;
  for (const std::string& text : texts) {
    auto address = parse_listen_address(text);
    if (!address) return address.error();
    if (address->ipv6 && !ipv6_available())
      return refused(text, "this civetweb is built without IPv6; use an IPv4 address");
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

std::string host_and_port(const std::string& host, bool ipv6, std::uint16_t port) {
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace beam_exporter::web
