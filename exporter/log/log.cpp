#include "log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <memory>

namespace beam_exporter::log {
namespace {

std::atomic<Format> chosen_format{Format::logfmt};

// stderr from the first line on: stdout belongs to --once and the subcommands. Never destroyed, so
// that a thread may log while the process ends.
spdlog::logger& logger() {
  static auto* const made = [] {
    auto* fresh =
        new spdlog::logger("beam_exporter", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    fresh->set_pattern("%v");
    fresh->flush_on(spdlog::level::trace);
    return fresh;
  }();
  return *made;
}

spdlog::level::level_enum spdlog_level(Level level) {
  constexpr std::array levels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                              spdlog::level::err};
  return levels[static_cast<std::size_t>(level)];
}

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 4> names{"debug", "info", "warn", "error"};
  return names[static_cast<std::size_t>(level)];
}

std::string utc(std::chrono::system_clock::time_point when) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::floor<milliseconds>(when.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t seconds = whole.count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>((since_epoch - whole).count()));
  return std::string(date.data()) + fraction.data();
}

// Bytes of the UTF-8 character `text` begins with; 0 when it is not one.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xC0) != 0x80) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// A JSON string, which is also how logfmt quotes. What is not UTF-8 becomes U+FFFD: values come
// from other processes.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    std::array<char, 8> escape{};
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (c == '"' || c == '\\')
      (out += '\\') += text.front();
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (c < ' ' || c == 0x7F)
      out.append(escape.data(), static_cast<std::size_t>(std::snprintf(escape.data(), escape.size(),
                                                                       "\\u%04x", unsigned{c})));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + '"';
}

std::string logfmt_value(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c < 0x7F && c != '=' && c != '"' && c != '\\';
  });
  return plain ? std::string(text) : in_quotes(text);
}

}  // namespace

std::string line_of(Format format, std::chrono::system_clock::time_point when, Level level,
                    std::string_view message, std::span<const Field> fields) {
  const std::string time = utc(when);
  const std::string name(name_of(level));
  std::string line;
  if (format == Format::json) {
    line = R"({"ts":")" + time + R"(","level":")" + name + R"(","msg":)" + in_quotes(message);
    for (const Field& field : fields)
      line += "," + in_quotes(field.key) + ":" + in_quotes(field.value);
    return line + "}";
  }
  line = "ts=" + time + " level=" + name + " msg=" + in_quotes(message);
  for (const Field& field : fields)
    line += " " + std::string(field.key) + "=" + logfmt_value(field.value);
  return line;
}

void write(Level level, std::string_view message, Fields fields) {
  if (!logger().should_log(spdlog_level(level))) return;
  const std::string text = line_of(chosen_format.load(), std::chrono::system_clock::now(), level,
                                   message, {fields.begin(), fields.size()});
  logger().log(spdlog_level(level), spdlog::string_view_t(text));
}

void set_level(Level level) { logger().set_level(spdlog_level(level)); }

void set_format(Format format) { chosen_format = format; }

}  // namespace beam_exporter::log
