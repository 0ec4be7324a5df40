#pragma once

#include <string>

#include "text/gzip.h"

namespace beam_exporter::tests {

// What gzip -d makes of it; "not gzip" otherwise.
inline std::string inflated(const std::string& compressed) {
  constexpr std::size_t most = std::size_t{64} << 20;
  return text::gunzipped(compressed, most).value_or("not gzip");
}

}  // namespace beam_exporter::tests
