#include "profile/formats/flame_page.h"

#include "text/markup.h"

namespace beam_exporter::profile {

// The heading is for readers of the screen: the picture has one. The svg has its own colours for a
// dark window. Its script lays it out for the width that it has.
std::string flame_page(std::string_view title, std::string_view svg) {
  const auto name = text::markup_escaped(title);
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      name +
      "</title>\n<link rel=\"icon\" href=\"data:,\">\n"
      "<style>:root{color-scheme:light dark;background:#fdfcf8} body{margin:0} "
      "svg{display:block;width:100%} h1{position:absolute;left:-99em}\n"
      "@media (prefers-color-scheme:dark){:root{background:#12151b}}</style>\n"
      "</head>\n<body>\n<main>\n<h1>" +
      name + "</h1>\n";
  page += svg;
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace beam_exporter::profile
