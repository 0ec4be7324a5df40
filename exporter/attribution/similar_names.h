#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace beam_exporter::attribution {

// The names that a user may have meant by `word`: names that contain it, and names that differ by a
// few typing mistakes. The nearest first, each once, at most `most`. Pure.
std::vector<std::string> similar_names(std::string_view word, std::vector<std::string> names,
                                       std::size_t most);

}  // namespace beam_exporter::attribution
