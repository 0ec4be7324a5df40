#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "beam/layout/embedded_layouts.h"
#include "beam/layout/layout_file.h"

// Every size, offset and width of the built-in layouts against builds made by others
// (tests/golden/layouts).
namespace beam_exporter::beam {
namespace {

using Json = nlohmann::json;

// "Struct" or "Struct.member": in our layouts, and not in the figures of any independent build.
// What a single one lacks is named in its own "not_covered".
const std::set<std::string> not_covered{
    "AFFreeBlock_t",       "GFFreeBlock_t",           "ErtsELink",
    "ErtsMonitorDataHeap", "ErtsMonitorDataExtended", "ErtsMonitorSuspend"};

class Comparison {
 public:
  explicit Comparison(const Json& reference)
      : structs_(reference["structs"]), not_covered_(not_covered) {
    if (!reference.contains("not_covered")) return;
    for (const auto& path : reference["not_covered"]) not_covered_.insert(path);
  }

  void compare(const StructRows& part) {
    const std::string type(part.head.name);
    if (part.head.width == 0) return;
    if (!covered(type, structs_.contains(type))) return;
    const Json& reference = structs_[type];
    EXPECT_EQ(part.head.width, reference["size"].get<std::uint32_t>()) << type;
    for (const Row& member : part.members) {
      if (!member.present()) continue;
      const std::string name(member.name), path = type + "." + name;
      const Json& members = reference["members"];
      if (!covered(path, members.contains(name))) continue;
      const Json& place = members[name];
      const auto elements = place.size() > 3 ? place[3].get<std::uint32_t>() : 1;
      EXPECT_EQ(member.offset, place[0].get<std::uint32_t>()) << path;
      EXPECT_EQ(member.width, place[1].get<std::uint32_t>() / elements) << path;
      ++compared_;
    }
  }

  int compared() const { return compared_; }

 private:
  bool covered(const std::string& path, bool in_reference) {
    EXPECT_EQ(in_reference, !not_covered_.contains(path))
        << path << ": add its figure to tests/golden/layouts, or name it in not_covered";
    return in_reference;
  }

  Json structs_;
  std::set<std::string> not_covered_;
  int compared_ = 0;
};

TEST(LayoutReference, built_in_layouts_agree_with_independent_builds) {
  for (const auto& each : embedded_layouts()) {
    const auto layout = read_layout(std::string(each.text), std::string(each.name));
    ASSERT_TRUE(layout) << layout.error().text;
    const std::string name =
        layout->origin.substr(0, layout->origin.rfind(".yaml")) + "-reference.json";
    std::ifstream file(std::string(SOURCE_DIR "/tests/golden/layouts/") + name);
    ASSERT_TRUE(file) << "no independent figures for " << each.name << ": " << name;
    const Json reference = Json::parse(file);
    EXPECT_EQ(reference["flavor"], layout->flavor);
    EXPECT_EQ(reference["arch"], layout->arch);
    Comparison comparison(reference);
    auto rows = rows_of<StructLayouts>(*layout);
    for (const StructRows& part : structs_in(rows)) comparison.compare(part);
    EXPECT_GT(comparison.compared(), 40) << each.name;
  }
}

}  // namespace
}  // namespace beam_exporter::beam
