#include "profile/formats/flame_picture.h"

#include <algorithm>

#include "profile/formats/flame_script.h"
#include "text/markup.h"
#include "text/printed.h"

namespace beam_exporter::profile {

namespace {

using text::printed;

constexpr double width = 1200, row = 17, head = 82, foot = 24;
// Of the whole: what is narrower than this is not seen even in a zoom of thousand.
constexpr double least_share = 1e-6;

constexpr const char* style =
    "rect{rx:2px} .page{fill:#fdfcf8} text{pointer-events:none;fill:#111}\n"
    ".f{cursor:pointer} .f:hover rect,.f:focus rect{stroke:#000} .f.hit rect{fill:#d64bd6}\n"
    ".control{pointer-events:all;cursor:pointer;text-decoration:underline}\n"
    "@media (prefers-color-scheme:dark){.page{fill:#12151b} text{fill:#e8ebf1} .f text{fill:#111} "
    ".f:hover rect,.f:focus rect{stroke:#fff}}";

// XML 1.0 has no other control characters, not even as references.
std::string escaped(std::string text) {
  for (char& character : text)
    if (static_cast<unsigned char>(character) < 0x20) character = ' ';
  return text::markup_escaped(text);
}

// What the script needs to colour a box and to turn the graph around. Microseconds of CPU time.
std::string meaning(const FlameBox& box) {
  if (box.kind.empty()) return "";
  std::string own;
  for (const auto& [state, time] : box.own)
    own += printed("%s%s:%lld:%llu", own.empty() ? "" : " ", state.c_str(),
                   static_cast<long long>(time.cpu_time.count() / 1000),
                   static_cast<unsigned long long>(time.samples));
  return " data-kind=\"" + escaped(box.kind) + "\" data-app=\"" + escaped(box.application) + "\"" +
         (own.empty() ? "" : " data-own=\"" + escaped(own) + "\"");
}

class Drawing {
 public:
  explicit Drawing(const FlameBox& root) : depth_(depth_of(root)) {}

  void draw(const FlameBox& box, const std::string& name, double from, std::size_t level) {
    if (box.width < least_share) {
      ++left_out_;
      return;
    }
    const double y = head + row * static_cast<double>(depth_ - level);
    boxes_ +=
        printed("<g class=\"f\" tabindex=\"0\" data-x=\"%.9g\" data-w=\"%.9g\" data-y=\"%zu\"",
                from, box.width, level) +
        " data-name=\"" + escaped(name) + "\"" + meaning(box) + "><title>" +
        escaped(name + ": " + box.told) + "</title>" +
        printed("<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%.0f\"", from * width, y,
                box.width * width, row - 1) +
        " fill=\"" + box.colour + "\"/>" + printed("<text y=\"%.0f\"></text></g>\n", y + row - 5);
    for (const auto& [text, child] : box.children) {
      draw(child, text, from, level + 1);
      from += child.width;
    }
  }

  const std::string& boxes() const { return boxes_; }
  double height() const { return head + row * static_cast<double>(depth_ + 1) + foot; }
  std::size_t left_out() const { return left_out_; }

 private:
  static std::size_t depth_of(const FlameBox& box) {
    std::size_t deepest = 0;
    for (const auto& [text, child] : box.children) deepest = std::max(deepest, 1 + depth_of(child));
    return deepest;
  }

  std::size_t depth_;
  std::string boxes_;
  std::size_t left_out_ = 0;
};

}  // namespace

std::string flame_picture(const FlameBox& root, const std::string& title, const std::string& note) {
  Drawing drawing(root);
  drawing.draw(root, "all", 0, 0);
  const bool empty = drawing.boxes().empty();  // of a time in which nothing ran
  const std::string narrow = !empty && drawing.left_out() > 0
                                 ? printed("; %zu frames are too narrow", drawing.left_out())
                                 : "";
  const double height = drawing.height();
  std::string svg = printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "data-width=\"%.0f\" data-row=\"%.0f\" font-family=\"monospace\" "
      "font-size=\"11\">\n<style>",
      width, height, width, row);
  svg += style;
  // Before all boxes: at the title of each box Chromium looks for the first title of the file.
  svg += "</style>\n<title>" + escaped(title) + "</title>\n";
  svg += "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
  svg += "<text x=\"8\" y=\"18\" font-size=\"14\">" + escaped(title) + "</text>\n";
  svg += "<text x=\"8\" y=\"36\">" + escaped(note + narrow) + "</text>\n";
  svg += drawing.boxes();
  svg += printed("<text id=\"said\" x=\"8\" y=\"%.0f\"></text>\n", height - 8);
  if (!empty) {
    svg += "<script><![CDATA[\n";
    for (const auto& script : flame_script()) svg += script.text;
    svg += "]]></script>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace beam_exporter::profile
