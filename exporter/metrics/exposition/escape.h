#pragma once

#include <string>
#include <string_view>

namespace beam_exporter::metrics {

// Label values come from Erlang atoms: any Unicode, with quotes and newlines. Bytes that are no
// UTF-8 become U+FFFD, because one bad byte in one label makes Prometheus drop the whole scrape.
// NUL becomes U+FFFD too: it ends a scrape for some parsers.
void append_label_value(std::string_view value, std::string& out);

// HELP text. Only OpenMetrics escapes its quotes.
enum class Quotes { as_they_are, escaped };
void append_help(std::string_view help, Quotes quotes, std::string& out);

}  // namespace beam_exporter::metrics
