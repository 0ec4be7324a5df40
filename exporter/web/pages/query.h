#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace beam_exporter::web {

// The value of the first parameter of that name, not decoded; "": it has none. nullopt: the query
// does not name it.
std::optional<std::string_view> query_value(std::string_view query, std::string_view name);

// A whole number of a query ("seconds=10&x=y"): `fallback` where the query does not name it,
// nullopt where its value is no number from `least` to `most`.
std::optional<std::int64_t> query_number(std::string_view query, std::string_view name,
                                         std::int64_t fallback, std::int64_t least,
                                         std::int64_t most);

}  // namespace beam_exporter::web
