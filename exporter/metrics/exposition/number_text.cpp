#include "metrics/exposition/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace beam_exporter::metrics {
namespace {

bool append_special(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
  } else {
    return false;
  }
  return true;
}

// Positional below 10^`scientific_from`, else with an exponent. The shortest digits in both cases.
void append_shortest(double value, double scientific_from, std::string& out) {
  const double size = std::fabs(value);
  const bool positional = size == 0 || (size >= 1e-4 && size < scientific_from);
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    positional ? std::chars_format::fixed : std::chars_format::scientific);
  out.append(text.data(), end.ptr);
}

}  // namespace

void append_value(double value, std::string& out) {
  // A little above 2^53: from there on a double cannot hold odd numbers, and all digits would
  // suggest a precision that it does not have.
  if (!append_special(value, out)) append_shortest(value, 1e17, out);
}

void append_bound(double bound, std::string& out) {
  if (append_special(bound, out)) return;
  const auto begin = out.size();
  append_shortest(bound, 1e6, out);
  if (std::string_view(out).substr(begin).find_first_of(".e") == std::string_view::npos)
    out += ".0";
}

}  // namespace beam_exporter::metrics
