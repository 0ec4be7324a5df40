#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beam_exporter::web {

struct Link {
  std::string path;
  std::string text;
};

struct LandingPage {
  std::string name;
  std::string description;
  std::string version;
  std::string target;  // one line on what is being watched
  std::vector<Link> links;
};

// The HTML of `/`. Every text is escaped: the target's comes from another process.
std::string landing_page_html(const LandingPage& page);

std::string html_escaped(std::string_view text);

}  // namespace beam_exporter::web
