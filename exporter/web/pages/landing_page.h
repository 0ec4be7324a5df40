#pragma once

#include <string>
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
  std::string target;  // one line about the VM that is watched
  std::vector<Link> links;
  std::vector<std::string> styles, scripts;  // paths
  std::string module;                        // the path of the script that fills the page
};

// The HTML of `/`: the way to the other pages, and the frame that live/live.js fills. Every text is
// escaped, because the target's text comes from another process.
std::string landing_page_html(const LandingPage& page);

}  // namespace beam_exporter::web
