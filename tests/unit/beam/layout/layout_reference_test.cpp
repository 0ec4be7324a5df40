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

// "Struct" or "Struct.member": in our layouts, and not in the figures of the independent builds.
const std::set<std::string> not_covered{"AFFreeBlock_t", "GFFreeBlock_t"};

class Comparison {
 public:
  explicit Comparison(Json structs) : structs_(std::move(structs)) {}

  template <class Part>
  void compare(const Part& part) {
    const std::string type(part.name);
    if (part.size == 0) return;
    if (!covered(type, structs_.contains(type))) return;
    const Json& reference = structs_[type];
    EXPECT_EQ(part.size, reference["size"].get<std::uint32_t>()) << type;
    part.fields(part, [&](std::string_view member, const auto& field, Need) {
      if (!field.present()) return;
      const std::string path = type + "." + std::string(member);
      const Json& members = reference["members"];
      if (!covered(path, members.contains(std::string(member)))) return;
      const Json& place = members[std::string(member)];
      const auto elements = place.size() > 3 ? place[3].get<std::uint32_t>() : 1;
      EXPECT_EQ(field.offset, place[0].get<std::uint32_t>()) << path;
      EXPECT_EQ(field.width, place[1].get<std::uint32_t>() / elements) << path;
      ++compared_;
    });
  }

  int compared() const { return compared_; }

 private:
  bool covered(const std::string& path, bool in_reference) {
    EXPECT_EQ(in_reference, !not_covered.contains(path))
        << path << ": add its figure to tests/golden/layouts, or name it in not_covered";
    return in_reference;
  }

  Json structs_;
  int compared_ = 0;
};

TEST(LayoutReference, built_in_layouts_agree_with_independent_builds) {
  for (const auto& each : embedded_layouts()) {
    const auto layout = read_layout(std::string(each.text), std::string(each.name));
    ASSERT_TRUE(layout) << layout.error().text;
    const std::string name =
        "otp-" + layout->otp_release + "-" + layout->flavor + "-reference.json";
    std::ifstream file(std::string(SOURCE_DIR "/tests/golden/layouts/") + name);
    ASSERT_TRUE(file) << "no independent figures for " << each.name << ": " << name;
    const Json reference = Json::parse(file);
    EXPECT_EQ(reference["flavor"], layout->flavor);
    EXPECT_EQ(reference["arch"], layout->arch);
    Comparison comparison(reference["structs"]);
    Layout::structs(*layout, [&](const auto& part) { comparison.compare(part); });
    EXPECT_GT(comparison.compared(), 40) << each.name;
  }
}

}  // namespace
}  // namespace beam_exporter::beam
