#include "beam/layout/forced_places.h"

#include <charconv>
#include <string_view>

namespace beam_exporter::beam {

namespace {

using Register = os::UserRegisters;

std::optional<Register::Index> register_named(std::string_view name) {
  for (int number = 0; number < Register::rip; ++number)
    if (os::register_name(static_cast<Register::Index>(number)) == name)
      return static_cast<Register::Index>(number);
  return std::nullopt;
}

// "r13", "rsp+8", "rbp-32".
std::optional<InterpreterPlace> place(std::string_view text) {
  const auto sign = text.find_first_of("+-");
  const auto base = register_named(text.substr(0, sign));
  if (!base || sign == std::string_view::npos)
    return base ? std::optional(InterpreterPlace(*base)) : std::nullopt;
  if (text.substr(sign).starts_with("+-")) return std::nullopt;
  text.remove_prefix(text[sign] == '+' ? sign + 1 : sign);
  std::int32_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc{} || end != text.data() + text.size() || offset > largest_place_offset ||
      offset < -largest_place_offset || offset % 8 != 0)
    return std::nullopt;
  return InterpreterPlace(*base, offset);
}

}  // namespace

std::string place_text(const InterpreterPlace& place) {
  std::string text(os::register_name(place.base));
  if (!place.in_frame) return text;
  return text + (*place.in_frame < 0 ? "" : "+") + std::to_string(*place.in_frame);
}

os::Result<ForcedPlaces> forced_places(const std::vector<std::string>& texts) {
  ForcedPlaces out;
  for (const auto& text : texts) {
    const auto refused = [&](const std::string& why) {
      return os::Error{os::ErrorKind::invalid_argument,
                       std::string("'").append(text).append("' ").append(why)};
    };
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    if (name == "c_p")
      return refused("is not needed: the scheduler tells which process it runs; leave it out");
    const auto where = equals == std::string::npos
                           ? std::nullopt
                           : place(std::string_view(text).substr(equals + 1));
    if ((name != "I" && name != "E") || !where)
      return refused(
          "is not a variable of the interpreter and its place, such as E=r13 or I=rsp+8");
    (name == "I" ? out.instruction : out.stack) = *where;
  }
  return out;
}

}  // namespace beam_exporter::beam
