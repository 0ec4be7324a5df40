#include "text/host_and_port.h"

namespace beam_exporter::text {

std::optional<HostAndPort> split_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  HostAndPort parts{.host = text.substr(0, colon), .port = text.substr(colon + 1)};
  if (parts.host.size() >= 2 && parts.host.front() == '[' && parts.host.back() == ']') {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
    parts.bracketed = true;
  }
  return parts;
}

}  // namespace beam_exporter::text
