#include "metrics/exposition/escape.h"

#include "text/utf8.h"

namespace beam_exporter::metrics {
namespace {

void append_escaped(std::string_view text, Quotes quotes, std::string& out) {
  while (!text.empty()) {
    const auto length = text::utf8_length(text);
    if (length == 0 || text.front() == '\0') {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    const char first = text.front();
    if (first == '\n') {
      out += "\\n";
    } else if (first == '\\') {
      out += "\\\\";
    } else if (first == '"' && quotes == Quotes::escaped) {
      out += "\\\"";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

}  // namespace

void append_label_value(std::string_view value, std::string& out) {
  append_escaped(value, Quotes::escaped, out);
}

void append_help(std::string_view help, Quotes quotes, std::string& out) {
  append_escaped(help, quotes, out);
}

}  // namespace beam_exporter::metrics
