#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/result.h"
#include "yaml/scalar.h"

// Which values a setting may have and how they are written, the same for file and flag. Called
// through for_each_setting by settings.cpp and command_line.cpp. On error, `set` leaves `into`
// untouched.
namespace beam_exporter::settings {

// Checks a text. Returns the complaint about a bad one, or "".
using TextRule = std::string (*)(const std::string& text);

std::string any_text(const std::string& text);
std::string regular_expression(const std::string& text);
std::string listen_address(const std::string& text);
std::string server_urls(const std::string& text);  // with blanks between
std::string forced_register(const std::string& text);
std::string url_path(const std::string& text);
std::string web_config_file(const std::string& text);  // only "": not supported yet
std::string native_function(const std::string& text);

// A closed set of names.
template <class E>
struct Choice {
  std::string_view name;
  E value;
};
template <class E>
using Choices = std::span<const Choice<E>>;

template <class E>
std::string joined_names(Choices<E> choices, std::string_view between) {
  std::string text;
  for (const auto& choice : choices) {
    if (!text.empty()) text += between;
    text += choice.name;
  }
  return text;
}

inline os::Error bad_value(std::string text) {
  return {os::ErrorKind::invalid_argument, std::move(text)};
}

inline os::Status set(yaml::Scalar scalar, bool& into) { return yaml::convert(scalar, into); }

template <yaml::Whole T>
os::Status set(yaml::Scalar scalar, T& into, yaml::WholeRange range) {
  return yaml::convert(scalar, into, range);
}

inline os::Status set(yaml::Scalar scalar, std::chrono::milliseconds& into,
                      yaml::DurationRange range) {
  return yaml::convert(scalar, into, range);
}

inline os::Status set(yaml::Scalar scalar, std::string& into, TextRule rule) {
  std::string text(scalar.text);
  if (std::string complaint = rule(text); !complaint.empty())
    return bad_value(std::move(complaint));
  into = std::move(text);
  return os::Done{};
}

template <class E>
os::Status set(yaml::Scalar scalar, E& into, Choices<E> choices) {
  for (const auto& choice : choices) {
    if (choice.name != scalar.text) continue;
    into = choice.value;
    return os::Done{};
  }
  return bad_value(yaml::shown(scalar.text) + " is not one of " + joined_names(choices, ", "));
}

// The value as the file and the flags spell it.
inline std::string text_of(bool value) { return value ? "true" : "false"; }
template <yaml::Whole T>
std::string text_of(T value, yaml::WholeRange) {
  return std::to_string(value);
}
inline std::string text_of(std::chrono::milliseconds value, yaml::DurationRange) {
  return yaml::spell(value);
}
inline std::string text_of(const std::string& value, TextRule) { return value; }
std::string text_of(const std::vector<std::string>& values, TextRule);
template <class E>
std::string text_of(E value, Choices<E> choices) {
  for (const auto& choice : choices)
    if (choice.value == value) return std::string(choice.name);
  return "";
}

// The allowed values for --help: "1..10000"; empty where any value is allowed.
inline std::string allowed() { return ""; }
inline std::string allowed(TextRule) { return ""; }
inline std::string allowed(yaml::WholeRange range) {
  return std::to_string(range.low) + ".." + std::to_string(range.high);
}
inline std::string allowed(yaml::DurationRange range) {
  return yaml::spell(range.low) + ".." + yaml::spell(range.high);
}
template <class E>
std::string allowed(Choices<E> choices) {
  return joined_names(choices, ", ");
}

}  // namespace beam_exporter::settings
