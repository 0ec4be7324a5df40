#include "metrics/exposition/checked_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "metrics/families/family_builder.h"
#include "unit/metrics/example_snapshot.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string complaint(const Families& families) {
  const auto result = checked(families);
  return result ? "" : result.error().text;
}

TEST(CheckedFamilies, what_we_make_of_a_full_snapshot_is_the_whole_catalogue_in_its_order) {
  auto families = example_families();
  std::shuffle(families.begin(), families.end(), std::mt19937(7));
  const auto result = checked(families);
  ASSERT_TRUE(result) << result.error().text;
  ASSERT_EQ(result->size(), catalogue().size());
  for (std::size_t i = 0; i < result->size(); ++i) {
    EXPECT_EQ((*result)[i].spec, &catalogue()[i]);
    EXPECT_EQ((*result)[i].family->name, catalogue()[i].name);
  }
}

TEST(CheckedFamilies, refuses_a_family_that_is_not_in_the_catalogue) {
  Families families;
  FamilyBuilder("beam_nothing").add({}, 1.0).append_to(families);
  EXPECT_THAT(complaint(families), AllOf(HasSubstr("beam_nothing"), HasSubstr("catalogue")));
}

TEST(CheckedFamilies, refuses_a_family_that_appears_twice) {
  Families families;
  FamilyBuilder("beam_up").add({}, 1.0).append_to(families);
  FamilyBuilder("beam_samples_total").add({}, 1.0).append_to(families);
  FamilyBuilder("beam_up").add({}, 1.0).append_to(families);
  EXPECT_THAT(complaint(families), AllOf(HasSubstr("beam_up"), HasSubstr("twice")));
}

TEST(CheckedFamilies, refuses_too_few_too_many_and_other_labels) {
  Families few;
  FamilyBuilder("beam_function_cpu_seconds_total").add({"lists"}, 1.0).append_to(few);
  EXPECT_THAT(complaint(few), HasSubstr("labels"));

  Families many;
  FamilyBuilder("beam_up").add({"surprise"}, 1.0).append_to(many);
  EXPECT_THAT(complaint(many), HasSubstr("labels"));

  Families other;
  FamilyBuilder("beam_vm_cpu_seconds_total").add({"user"}, 1.0).append_to(other);
  other[0].metric[0].label[0].name = "cpu";
  EXPECT_THAT(complaint(other), HasSubstr("labels"));
}

TEST(CheckedFamilies, refuses_a_family_of_another_type) {
  Families families;
  FamilyBuilder("beam_up").add({}, 1.0).append_to(families);
  families[0].type = prometheus::MetricType::Counter;
  EXPECT_THAT(complaint(families), HasSubstr("type"));
}

}  // namespace
}  // namespace beam_exporter::metrics
