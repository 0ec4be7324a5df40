#include "web/pages/query.h"

#include <charconv>

namespace beam_exporter::web {

std::optional<std::string_view> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto parameter = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const auto equals = parameter.find('=');
    if (parameter.substr(0, equals) != name) continue;
    return equals == std::string_view::npos ? std::string_view() : parameter.substr(equals + 1);
  }
  return std::nullopt;
}

std::optional<std::int64_t> query_number(std::string_view query, std::string_view name,
                                         std::int64_t fallback, std::int64_t least,
                                         std::int64_t most) {
  const auto value = query_value(query, name);
  if (!value) return fallback;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (problem != std::errc() || end != value->data() + value->size()) return std::nullopt;
  if (number < least || number > most) return std::nullopt;
  return number;
}

}  // namespace beam_exporter::web
