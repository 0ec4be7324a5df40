#include "yaml/scalar.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

namespace beam_exporter::yaml {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;
  milliseconds length;
};

// Largest first: this is the order in a duration.
constexpr std::array<Unit, 5> units{{{"d", std::chrono::hours{24}},
                                     {"h", std::chrono::hours{1}},
                                     {"m", std::chrono::minutes{1}},
                                     {"s", std::chrono::seconds{1}},
                                     {"ms", milliseconds{1}}}};

os::Error wrong(std::string text) { return {os::ErrorKind::invalid_argument, std::move(text)}; }

std::string spell_real(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

// "a whole number 1..10000"; a range without limits is not shown.
std::string describe(WholeRange range) {
  return "a whole number " + std::to_string(range.low) + ".." + std::to_string(range.high);
}

std::string describe(RealRange range) {
  if (range.high == std::numeric_limits<double>::max()) return "a number";
  return "a number " + spell_real(range.low) + ".." + spell_real(range.high);
}

std::string describe(DurationRange range) {
  std::string what = "a duration such as 500ms or 10s";
  if (range.high == milliseconds::max()) return what;
  return what + " in " + spell(range.low) + ".." + spell(range.high);
}

std::string not_a(Scalar scalar, const std::string& expected) {
  if (scalar.quoted) return shown(scalar.text) + " in quotes is text, not " + expected;
  if (scalar.text.empty()) return "no value; needs " + expected;
  return shown(scalar.text) + " is not " + expected;
}

std::optional<milliseconds> duration_of(std::string_view text) {
  if (text == "0") return milliseconds{0};
  if (text.empty()) return std::nullopt;
  std::int64_t total = 0;
  for (const Unit* unit = units.begin(); !text.empty(); ++unit) {
    std::int64_t count = 0;
    const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{} || count < 0) return std::nullopt;
    std::string_view after = text.substr(static_cast<std::size_t>(rest - text.data()));
    const auto name = after.substr(0, std::min(after.find_first_of("0123456789"), after.size()));
    while (unit != units.end() && unit->name != name) ++unit;  // each unit once, largest first
    if (unit == units.end()) return std::nullopt;
    std::int64_t part = 0;
    if (__builtin_mul_overflow(count, std::int64_t{unit->length.count()}, &part) ||
        __builtin_add_overflow(total, part, &total))
      return std::nullopt;
    text = after.substr(name.size());
  }
  return milliseconds{total};
}

}  // namespace

os::Result<std::int64_t> whole_number(Scalar scalar, WholeRange range) {
  std::string_view digits = scalar.text;
  int base = 10;
  if (digits.starts_with("0x")) {
    base = 16;
    digits.remove_prefix(2);
    if (digits.starts_with('-')) return wrong(not_a(scalar, describe(range)));
  }
  std::int64_t number = 0;
  const auto end = digits.data() + digits.size();
  const auto [rest, problem] = std::from_chars(digits.data(), end, number, base);
  const bool too_large = problem == std::errc::result_out_of_range;
  if (scalar.quoted || rest != end || (problem != std::errc{} && !too_large))
    return wrong(not_a(scalar, describe(range)));
  if (too_large || number < range.low || number > range.high)
    return wrong(std::string(scalar.text) + " is outside " + std::to_string(range.low) + ".." +
                 std::to_string(range.high));
  return number;
}

os::Status convert(Scalar scalar, bool& into) {
  if (scalar.quoted || (scalar.text != "true" && scalar.text != "false"))
    return wrong(not_a(scalar, "true or false"));
  into = scalar.text == "true";
  return os::Done{};
}

os::Status convert(Scalar scalar, std::string& into) {
  into = std::string(scalar.text);
  return os::Done{};
}

os::Status convert(Scalar scalar, double& into, RealRange range) {
  double number = 0;
  const auto end = scalar.text.data() + scalar.text.size();
  const auto [rest, problem] = std::from_chars(scalar.text.data(), end, number);
  if (scalar.quoted || rest != end || problem != std::errc{} || !std::isfinite(number))
    return wrong(not_a(scalar, describe(range)));
  if (number < range.low || number > range.high)
    return wrong(std::string(scalar.text) + " is outside " + spell_real(range.low) + ".." +
                 spell_real(range.high));
  into = number;
  return os::Done{};
}

os::Status convert(Scalar scalar, milliseconds& into, DurationRange range) {
  const auto duration = duration_of(scalar.text);
  if (scalar.quoted || !duration) return wrong(not_a(scalar, describe(range)));
  if (*duration < range.low || *duration > range.high)
    return wrong(std::string(scalar.text) + " is outside " + spell(range.low) + ".." +
                 spell(range.high));
  into = *duration;
  return os::Done{};
}

std::string spell(milliseconds duration) {
  if (duration.count() == 0) return "0s";
  std::string text;
  for (const Unit& unit : units) {
    const auto count = duration / unit.length;
    if (count != 0) text += std::to_string(count) + std::string(unit.name);
    duration -= count * unit.length;
  }
  return text;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += (c >= 0 && c < ' ') || c == 127 ? '?' : c;
  return out + (text.size() > longest ? "...'" : "'");
}

}  // namespace beam_exporter::yaml
