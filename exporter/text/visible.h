#pragma once

#include <string>
#include <string_view>

namespace beam_exporter::text {

// Foreign text for a terminal: what could move the cursor, change colours or turn the direction of
// writing is written as hexadecimal numbers, \x1B or \u{202E}; so are bytes that are not UTF-8. Any
// thread.
std::string visible(std::string_view text);

}  // namespace beam_exporter::text
