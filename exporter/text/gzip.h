#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace beam_exporter::text {

// A whole gzip member; nullopt when zlib has no memory. It prefers speed to size: a page of metrics
// shrinks about tenfold at any level. Any thread.
std::optional<std::string> gzipped(std::string_view plain);

// What a whole gzip member holds; nullopt when it is none, has more behind it, or holds more than
// `most` bytes.
std::optional<std::string> gunzipped(std::string_view compressed, std::size_t most);

}  // namespace beam_exporter::text
