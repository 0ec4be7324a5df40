#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics/exposition/text_writer.h"
#include "metrics/families/family_builder.h"

namespace beam_exporter::metrics {

// The sample lines of text 0.0.4, one string each: what a topic serves, without its heads.
inline std::vector<std::string> sample_lines(const Families& families) {
  const auto text = write_text(families);
  if (!text) return {text.error().text};
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text->size();) {
    const auto end = text->find('\n', begin);
    if ((*text)[begin] != '#') lines.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace beam_exporter::metrics
