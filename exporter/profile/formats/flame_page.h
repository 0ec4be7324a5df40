#pragma once

#include <string>
#include <string_view>

namespace beam_exporter::profile {

// An html page with one flame graph in it, as wide as the window. `svg`: of flame_svg() or
// difference_svg(). `title`: any text. Needs no other file. Any thread.
std::string flame_page(std::string_view title, std::string_view svg);

}  // namespace beam_exporter::profile
