#include "web/pages/landing_page.h"

#include "text/markup.h"

namespace beam_exporter::web {

std::string landing_page_html(const LandingPage& page) {
  using text::markup_escaped;
  const auto name = markup_escaped(page.name);
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<title>" + name + "</title>\n<link rel=\"icon\" href=\"data:,\">\n";
  for (const auto& style : page.styles)
    out += "<link rel=\"stylesheet\" href=\"" + markup_escaped(style) + "\">\n";
  for (const auto& script : page.scripts)
    out += "<script defer src=\"" + markup_escaped(script) + "\"></script>\n";
  if (!page.module.empty())
    out += "<script type=\"module\" src=\"" + markup_escaped(page.module) + "\"></script>\n";
  out += "</head>\n<body>\n<header><h1>" + name + "</h1>\n<p>" + markup_escaped(page.description) +
         "</p>\n<nav aria-label=\"Pages\"><ul>\n";
  for (const auto& link : page.links)
    out += "<li><a href=\"" + markup_escaped(link.path) + "\">" + markup_escaped(link.text) +
           "</a></li>\n";
  out += "</ul></nav>\n<div id=\"tools\"></div></header>\n<main>\n<noscript><p>Target: " +
         markup_escaped(page.target) + "</p></noscript>\n<div id=\"live\"></div>\n</main>\n";
  out += "<footer>Version: " + markup_escaped(page.version) + "</footer>\n</body>\n</html>\n";
  return out;
}

}  // namespace beam_exporter::web
