#include "verdict/memory_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/verdict/facts.h"

namespace beam_exporter::verdict {
namespace {

TEST(MemoryJson, has_the_composition_the_limit_and_the_processes) {
  const auto text = memory_json("OTP 27, pid 42", healthy());
  EXPECT_EQ(text.back(), '\n');
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["target"], "OTP 27, pid 42");
  EXPECT_EQ(json["findings"].size(), 0u);
  EXPECT_GT(json["composition"].size(), 4u);
  EXPECT_EQ(json["limit"]["limit_bytes"], std::uint64_t{2} << 30);
  EXPECT_EQ(json["processes"]["largest_heap"]["name"], "shop");
}

TEST(MemoryJson, names_the_finding_with_its_advice) {
  auto facts = healthy();
  facts.processes->longest_queue = {"<0.43.0>", "<b>till", test_mib, 100000};
  const auto json = nlohmann::json::parse(memory_json("", facts));
  ASSERT_EQ(json["findings"].size(), 1u);
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["rule"], "long_mailbox");
  EXPECT_EQ(finding["subject"], "<0.43.0> <b>till");
  EXPECT_EQ(finding["measure"]["value"], 100000);
  EXPECT_NE(finding["advice"], "");
}

TEST(MemoryJson, says_null_for_what_is_not_known) {
  const auto json = nlohmann::json::parse(memory_json("", {.unread = {"the table of processes"}}));
  EXPECT_TRUE(json["limit"].is_null());
  EXPECT_TRUE(json["processes"].is_null());
  EXPECT_EQ(json["not_readable"][0], "the table of processes");
}

}  // namespace
}  // namespace beam_exporter::verdict
