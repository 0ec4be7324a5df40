#pragma once

#include <string>
#include <string_view>

namespace beam_exporter::text {

// The text as character data, or as the value of an attribute, of HTML and XML. Any thread.
std::string markup_escaped(std::string_view text);

}  // namespace beam_exporter::text
