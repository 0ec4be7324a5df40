#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace beam_exporter::text {

// snprintf as a string; what is longer than 255 bytes is cut. For numbers and short words.
template <class... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace beam_exporter::text
