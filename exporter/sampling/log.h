#pragma once

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

// One event, one line on stderr. Called by sampling and app only: lower layers return their errors.
// Any thread. Keys are literals of ours (a-z and _); messages and values may be any bytes.
//
//   log(LogLevel::info, "attached", {{"pid", std::to_string(pid)}, {"layout", layout.origin}});
namespace beam_exporter::sampling {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { logfmt, json };

struct LogField {
  std::string_view key;
  std::string value;
};

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});

// Both may change while other threads log. Until set: info, logfmt.
void set_log_level(LogLevel level);
void set_log_format(LogFormat format);

// What log() writes, without the newline.
std::string log_line(LogFormat format, std::chrono::system_clock::time_point when, LogLevel level,
                     std::string_view message, std::span<const LogField> fields);

}  // namespace beam_exporter::sampling
