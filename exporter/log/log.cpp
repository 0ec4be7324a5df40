#include "log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

namespace beam_exporter::log {
namespace {

std::atomic<Format> chosen_format{Format::logfmt};

// Logs go to stderr from the first line on: stdout belongs to --once and the subcommands. The
// logger is never destroyed, so that a thread may log while the process ends.
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

// Invalid UTF-8 becomes U+FFFD: values come from other processes.
std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// logfmt quotes like a JSON string.
std::string in_quotes(std::string_view text) { return json_text(text); }

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
  if (format == Format::json) {
    nlohmann::ordered_json line = {{"ts", time}, {"level", name}, {"msg", message}};
    for (const Field& field : fields) line[std::string(field.key)] = field.value;
    return json_text(line);
  }
  std::string line = "ts=" + time + " level=" + name + " msg=" + in_quotes(message);
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
