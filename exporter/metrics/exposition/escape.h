#pragma once

#include <string>
#include <string_view>

namespace beam_exporter::metrics {

// Label values come from Erlang atoms: any Unicode, quotes and newlines included. What is no UTF-8
// (or NUL, which ends a scrape for some parsers) becomes U+FFFD, for one bad byte in one label
// makes Prometheus drop the whole scrape.
void append_label_value(std::string_view value, std::string& out);

// HELP text. Only OpenMetrics escapes its quotes.
enum class Quotes { as_they_are, escaped };
void append_help(std::string_view help, Quotes quotes, std::string& out);

}  // namespace beam_exporter::metrics
