#pragma once

#include <chrono>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

// One event, one line on stderr. Lower layers return their errors and do not log. Any thread. Keys
// are our own literals (a-z and _); messages and values may hold any bytes.
//
//   log::info("attached", {{"pid", std::to_string(pid)}, {"layout", layout.origin}});
namespace beam_exporter::log {

enum class Level { debug, info, warn, error };
enum class Format { logfmt, json };

struct Field {
  std::string_view key;
  std::string value;
};

using Fields = std::initializer_list<Field>;

void write(Level level, std::string_view message, Fields fields = {});
inline void debug(std::string_view message, Fields fields = {}) {
  write(Level::debug, message, fields);
}
inline void info(std::string_view message, Fields fields = {}) {
  write(Level::info, message, fields);
}
inline void warn(std::string_view message, Fields fields = {}) {
  write(Level::warn, message, fields);
}
inline void error(std::string_view message, Fields fields = {}) {
  write(Level::error, message, fields);
}

// May be called while other threads log. Before: info, logfmt.
void set_level(Level level);
void set_format(Format format);

// The line that write() writes, without the newline.
std::string line_of(Format format, std::chrono::system_clock::time_point when, Level level,
                    std::string_view message, std::span<const Field> fields);

}  // namespace beam_exporter::log
