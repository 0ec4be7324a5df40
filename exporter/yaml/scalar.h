#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "os/result.h"

// Converts one value from text; a YAML file and a command-line flag use the same spelling. An error
// names the value and what is allowed, not the key. `into` is unchanged on error. Any thread.
namespace beam_exporter::yaml {

constexpr std::size_t largest_text_bytes = 1 << 20;  // of a file; a larger one is refused

struct Scalar {
  std::string_view text;
  bool quoted = false;  // in quotes: text, never a number
};

// Allowed values, both ends included.
struct WholeRange {
  std::int64_t low, high;
};
struct RealRange {
  double low, high;
};
struct DurationRange {
  std::chrono::milliseconds low, high;
};

template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

template <Whole T>
constexpr WholeRange all_of() {
  using Limits = std::numeric_limits<T>;
  constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {static_cast<std::int64_t>(Limits::min()),
          static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(Limits::max()), top))};
}

os::Result<std::int64_t> whole_number(Scalar scalar, WholeRange range);  // decimal or 0x hex

os::Status convert(Scalar scalar, bool& into);  // true or false
os::Status convert(Scalar scalar, std::string& into);
os::Status convert(Scalar scalar, double& into,
                   RealRange range = {std::numeric_limits<double>::lowest(),
                                      std::numeric_limits<double>::max()});
// Prometheus' spelling: 500ms, 10s, 1m30s, 2h, 7d.
os::Status convert(Scalar scalar, std::chrono::milliseconds& into,
                   DurationRange range = {std::chrono::milliseconds{0},
                                          std::chrono::milliseconds::max()});

template <Whole T>
os::Status convert(Scalar scalar, T& into, WholeRange range = all_of<T>()) {
  constexpr WholeRange fits = all_of<T>();
  const auto number =
      whole_number(scalar, {std::max(range.low, fits.low), std::min(range.high, fits.high)});
  if (!number) return number.error();
  into = static_cast<T>(*number);
  return os::Done{};
}

// 90000 ms -> "1m30s", in the spelling that convert() reads.
std::string spell(std::chrono::milliseconds duration);

// A value for an error text: in quotes, on one line, cut when it is long.
std::string shown(std::string_view text);

}  // namespace beam_exporter::yaml
