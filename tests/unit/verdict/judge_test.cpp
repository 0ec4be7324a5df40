#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "unit/verdict/facts.h"
#include "verdict/memory_rules.h"

namespace beam_exporter::verdict {
namespace {

std::vector<std::string> names(const MemoryFacts& facts) {
  std::vector<std::string> found;
  for (const auto& finding : judge(facts)) found.emplace_back(finding.rule->name);
  return found;
}

AllocatorFacts& set_allocator(MemoryFacts& facts, const std::string& name, AllocatorFacts with) {
  for (auto& one : facts.allocators)
    if (one.name == name) return one = std::move(with);
  return facts.allocators.emplace_back(std::move(with));
}

// An allocator with 800 MiB of carriers, of which so many MiB are wasted in one kind of carriers.
auto waste(const std::string& name, CarrierUse use, double block = 1000) {
  return [=](MemoryFacts& facts, double mib) {
    auto one = allocator(name, CarrierUse::well_used, group(800 - mib, 0), block);
    one[use] = group(mib, mib);
    set_allocator(facts, name, one);
  };
}

auto outside(const char* part) {
  return [=](MemoryFacts& facts, double mib) { facts.parts[part] = mib * test_mib; };
}

struct Case {
  const char* rule;
  std::function<void(MemoryFacts&, double)> set;
  double below, from;  // does not fire, fires
};

class EachRule : public ::testing::TestWithParam<Case> {};

TEST_P(EachRule, fires_from_its_threshold_on_and_not_below) {
  const auto& [rule, set, below, from] = GetParam();
  auto facts = healthy();
  set(facts, below);
  EXPECT_THAT(names(facts), ::testing::Not(::testing::Contains(rule)));
  set(facts, from);
  EXPECT_THAT(names(facts), ::testing::Contains(rule));
}

INSTANTIATE_TEST_SUITE_P(
    Memory, EachRule,
    ::testing::Values(
        Case{"near_limit",
             [](auto& facts, double share) {
               facts.limit->used = static_cast<std::uint64_t>(share * (2 << 20)) << 10;
             },
             0.89, 0.91},
        Case{"idle_carriers_of_heaps", waste("eheap_alloc", CarrierUse::nearly_empty), 199, 201},
        Case{"idle_carriers_of_binaries", waste("binary_alloc", CarrierUse::nearly_empty), 199,
             201},
        Case{"idle_carriers", waste("ets_alloc", CarrierUse::nearly_empty), 199, 201},
        Case{"fragmented_heaps", waste("eheap_alloc", CarrierUse::small_holes), 199, 201},
        Case{"fragmented_binaries", waste("binary_alloc", CarrierUse::small_holes), 199, 201},
        Case{"fragmented", waste("driver_alloc", CarrierUse::small_holes), 199, 201},
        Case{"unused_room", waste("eheap_alloc", CarrierUse::large_holes), 199, 201},
        Case{"large_blocks_share_carriers",
             waste("eheap_alloc", CarrierUse::nearly_empty, 300 * 1024), 199, 201},
        Case{"segment_cache", outside("mseg_cache"), 255, 257},
        Case{"memory_outside_carriers", outside("other"), 251, 253},
        Case{"allocators_off",
             [](auto& facts, double mib) {
               facts.allocators_off = {"binary_alloc"};
               facts.parts["other"] = mib * test_mib;
             },
             251, 253},
        Case{"large_files", outside("files"), 255, 257},
        Case{"binaries_beside_small_heaps",
             [](auto& facts, double mib) {
               set_allocator(facts, "eheap_alloc",
                             allocator("eheap_alloc", CarrierUse::well_used, group(100, 0)));
               set_allocator(facts, "binary_alloc",
                             allocator("binary_alloc", CarrierUse::well_used, group(mib, 0)));
             },
             399, 401},
        Case{"one_process",
             [](auto& facts, double mib) {
               facts.processes->largest_heap->heap_bytes = mib * test_mib;
             },
             149, 151},
        Case{"long_mailbox",
             [](auto& facts, double messages) {
               facts.processes->longest_queue->messages = messages;
             },
             9999, 10000}),
    [](const auto& test) { return std::string(test.param.rule); });

TEST(Judge, every_rule_has_a_case_above) {
  EXPECT_EQ(memory_rules().size(), 16U);
  for (const auto& rule : memory_rules()) {
    EXPECT_FALSE(rule.source.empty() || rule.reason.empty() || rule.measure.empty()) << rule.name;
  }
}

TEST(Judge, a_healthy_vm_has_nothing_to_mend) {
  EXPECT_THAT(names(healthy()), ::testing::IsEmpty());
  EXPECT_THAT(names({}), ::testing::IsEmpty()) << "nothing could be read";
}

TEST(Judge, what_is_urgent_comes_first_then_the_largest) {
  auto facts = healthy();
  waste("ets_alloc", CarrierUse::nearly_empty)(facts, 300);
  facts.parts["other"] = 400 * test_mib;
  facts.limit->used = facts.limit->limit - 1;
  EXPECT_THAT(names(facts),
              ::testing::ElementsAre("near_limit", "memory_outside_carriers", "idle_carriers"));
}

TEST(Judge, little_waste_in_a_small_allocator_is_no_finding) {
  auto facts = healthy();
  facts.allocators.push_back(allocator("ets_alloc", CarrierUse::nearly_empty, group(100, 99)));
  EXPECT_THAT(names(facts), ::testing::IsEmpty()) << "less than a tenth of the resident memory";
  facts.resident = 100 * test_mib;
  EXPECT_THAT(names(facts), ::testing::Contains("idle_carriers"));
}

TEST(Judge, free_memory_that_was_never_touched_is_not_wasted) {
  auto facts = healthy();
  waste("eheap_alloc", CarrierUse::nearly_empty)(facts, 400);
  facts.allocators[0][CarrierUse::nearly_empty].resident = 0;
  EXPECT_THAT(names(facts), ::testing::IsEmpty());
}

TEST(Judge, without_sight_of_pages_nobody_knows_what_malloc_has) {
  auto facts = healthy();
  facts.parts["other"] = 900 * test_mib;
  facts.pages_seen = false;
  EXPECT_THAT(names(facts), ::testing::IsEmpty());
}

TEST(Judge, the_texts_name_what_was_seen) {
  auto facts = healthy();
  auto carriers = group(400, 400);
  carriers.abandoned_free = 300 * test_mib;
  carriers.free_by_instance = {{1, 20 * test_mib}, {3, 80 * test_mib}};
  set_allocator(facts, "eheap_alloc",
                allocator("eheap_alloc", CarrierUse::well_used, group(400, 0),
                          200 * 1024))[CarrierUse::nearly_empty] = carriers;
  const auto findings = judge(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].sight.subject, "eheap_alloc");
  EXPECT_THAT(findings[0].text, ::testing::HasSubstr("400.0 MiB (39 % of the resident memory)"));
  EXPECT_THAT(findings[0].text,
              ::testing::HasSubstr("have 75 % of that; instance 3 has 20 % of that."));
  EXPECT_THAT(findings[0].text, ::testing::HasSubstr("200.0 KiB on average"));
  EXPECT_THAT(findings[0].advice, ::testing::HasSubstr("+MHsbct 100 "));
  EXPECT_THAT(findings[0].advice,
              ::testing::HasSubstr("system_flag(erts_alloc, {eheap_alloc, sbct, 102400})"));
}

TEST(Judge, no_text_of_a_rule_has_a_hole) {
  for (const auto& rule : memory_rules()) {
    auto facts = healthy();
    facts.parts["other"] = 900 * test_mib;
    if (rule.name == "allocators_off") facts.allocators_off = {"sl_alloc", "ets_alloc"};
    for (const char* name : {"eheap_alloc", "binary_alloc", "ets_alloc"})
      waste(name, CarrierUse::small_holes, rule.name == "large_blocks_share_carriers" ? 1e5 : 1)(
          facts, 700);
    for (const auto& sight : rule.look(facts)) {
      MemoryRule always = rule;
      always.threshold = always.least_bytes = always.least_share = 0;
      for (const auto& finding : judge(facts, std::span(&always, 1)))
        for (const auto* text : {&finding.text, &finding.advice})
          EXPECT_THAT(*text, ::testing::Not(::testing::ContainsRegex("\\{[a-z_]+\\}")))
              << sight.subject;
    }
  }
}

}  // namespace
}  // namespace beam_exporter::verdict
