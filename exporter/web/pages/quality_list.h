#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace beam_exporter::web {

// One element of a header like Accept: "text/plain;version=0.0.4;q=0.5".
struct QualityItem {
  std::string value;                                            // lower case
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case, without q
  double quality = 1;                                           // 0 to 1; 0 means "not this one"

  // nullptr when there is none of that name.
  const std::string* parameter(std::string_view name) const;
};

// The items in the order of the header. Empty items are dropped; a quality that is no number counts
// as 1.
std::vector<QualityItem> parse_quality_list(std::string_view header);

}  // namespace beam_exporter::web
