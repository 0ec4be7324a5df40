#include "metrics/families/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace beam_exporter::metrics {
namespace {

TEST(Catalogue, names_each_family_once_in_either_format) {
  std::set<std::string_view> names;
  std::set<std::string_view> open_metrics_names;
  for (const auto& family : catalogue()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_TRUE(open_metrics_names.insert(open_metrics_name(family)).second) << family.name;
  }
}

TEST(Catalogue, a_suffix_tells_the_type) {
  for (const auto& family : catalogue()) {
    EXPECT_EQ(family.name.ends_with("_total"), family.type == FamilyType::counter) << family.name;
    EXPECT_EQ(family.name.ends_with("_info"), family.type == FamilyType::info) << family.name;
    for (const char* reserved : {"_created", "_count", "_sum", "_bucket", "_gcount", "_gsum"})
      EXPECT_FALSE(family.name.ends_with(reserved)) << family.name;
  }
}

TEST(Catalogue, a_name_ends_with_its_unit_and_a_base_unit_in_the_name_is_its_unit) {
  for (const auto& family : catalogue()) {
    const auto name = open_metrics_name(family);
    if (!family.unit.empty()) {
      EXPECT_TRUE(name.ends_with("_" + std::string(family.unit))) << family.name;
      EXPECT_NE(family.type, FamilyType::info) << family.name;
    }
    for (const std::string_view unit : {"seconds", "bytes", "ratio"}) {
      if (name.ends_with(unit)) {
        EXPECT_EQ(family.unit, unit) << family.name;
      }
    }
  }
}

TEST(Catalogue, names_and_labels_are_snake_case_and_leave_the_labels_of_targets_alone) {
  const auto snake = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
  };
  const std::set<std::string_view> reserved = {"le", "quantile", "job", "instance", "type", "env"};
  for (const auto& family : catalogue()) {
    EXPECT_TRUE(snake(family.name)) << family.name;
    for (const auto label : family.labels) {
      EXPECT_TRUE(snake(label)) << family.name << " " << label;
      EXPECT_FALSE(label.starts_with("_")) << family.name << " " << label;
      EXPECT_EQ(reserved.count(label), 0u) << family.name << " " << label;
    }
  }
}

TEST(Catalogue, help_is_one_sentence) {
  for (const auto& family : catalogue()) {
    EXPECT_TRUE(family.help.ends_with(".")) << family.name;
    EXPECT_EQ(family.help.find('\n'), std::string_view::npos) << family.name;
  }
}

TEST(Catalogue, finds_by_name) {
  for (const auto& family : catalogue()) EXPECT_EQ(find_family(family.name), &family);
  EXPECT_EQ(find_family("beam_nothing"), nullptr);
  EXPECT_EQ(find_family(""), nullptr);
}

TEST(Catalogue, the_exporters_own_families_are_known_and_build_info_is_not_one_of_them) {
  const auto about = [](std::string_view name) { return about_exporter(*find_family(name)); };
  EXPECT_TRUE(about("process_open_fds"));
  EXPECT_TRUE(about("beam_exporter_collector_success"));
  EXPECT_FALSE(about("beam_exporter_build_info"));
  EXPECT_FALSE(about("beam_up"));
  EXPECT_FALSE(about("beam_samples_lost_total"));
}

// The rows of the README's table as "name|type|unit|label, label".
std::vector<std::string> documented() {
  std::ifstream readme(SOURCE_DIR "/exporter/metrics/README.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cells(line);
    std::string cell;
    std::string row;
    std::getline(cells, cell, '|');
    for (int column = 0; column < 4 && std::getline(cells, cell, '|'); ++column) {
      std::erase(cell, '`');
      const auto begin = cell.find_first_not_of(' ');
      const auto end = cell.find_last_not_of(' ');
      if (column > 0) row += '|';
      if (begin != std::string::npos) row += cell.substr(begin, end - begin + 1);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(Catalogue, the_readme_lists_the_same_families_with_the_same_types_units_and_labels) {
  std::vector<std::string> expected;
  for (const auto& family : catalogue()) {
    std::string labels;
    for (const auto label : family.labels) labels.append(labels.empty() ? "" : ", ").append(label);
    expected.push_back(std::string(family.name) + "|" + std::string(name_of(family.type)) + "|" +
                       std::string(family.unit) + "|" + labels);
  }
  EXPECT_EQ(documented(), expected);
}

}  // namespace
}  // namespace beam_exporter::metrics
