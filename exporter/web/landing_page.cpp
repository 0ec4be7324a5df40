#include "web/landing_page.h"

namespace beam_exporter::web {
namespace {

constexpr std::string_view style =
    "body{font-family:sans-serif;margin:0;color:#222}"
    "header{background:#a2003e;color:#fff;padding:.8rem 2rem}"
    "main{margin:1rem 2rem}h1{font-size:1.5rem;margin:0}li{margin:.3rem 0}";

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string landing_page_html(const LandingPage& page) {
  const auto name = html_escaped(page.name);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out +=
      "<title>" + name + "</title>\n<style>" + std::string(style) + "</style>\n</head>\n<body>\n";
  out += "<header><h1>" + name + "</h1></header>\n<main>\n";
  out += "<p>" + html_escaped(page.description) + "</p>\n";
  out += "<p>Target: " + html_escaped(page.target) + "</p>\n";
  out += "<p>Version: " + html_escaped(page.version) + "</p>\n<ul>\n";
  for (const auto& link : page.links)
    out += "<li><a href=\"" + html_escaped(link.path) + "\">" + html_escaped(link.text) +
           "</a></li>\n";
  out += "</ul>\n</main>\n</body>\n</html>\n";
  return out;
}

}  // namespace beam_exporter::web
