#include "commands/tools/heap/heap_report.h"

#include <gtest/gtest.h>

namespace beam_exporter::commands {
namespace {

beam::ScannedProcess process(beam::Eterm id, std::uint64_t heap, std::uint64_t messages,
                             std::optional<std::uint64_t> reductions = std::nullopt) {
  beam::ScannedProcess one;
  one.id = id;
  one.heap_bytes = heap;
  one.messages = messages;
  one.reductions = reductions;
  return one;
}

std::vector<beam::Eterm> order(const HeapReport& report) {
  std::vector<beam::Eterm> ids;
  for (const auto& row : report.rows) ids.push_back(row.process.id);
  return ids;
}

using Ids = std::vector<beam::Eterm>;

TEST(HeapReport, most_comes_first_by_each_key) {
  HeapLook look;
  look.processes = {process(1, 500, 1, 30), process(2, 900, 0, 20), process(3, 100, 7, 90)};
  look.held = {{.memory = beam::Amount{10}, .binaries = beam::Amount{70}},
               {.memory = beam::Amount{30}, .binaries = beam::Amount{60}},
               {.memory = beam::Amount{20}, .binaries = beam::Amount{80}}};
  EXPECT_EQ(order(heap_report(nullptr, look, HeapKey::heap)), (Ids{2, 1, 3}));
  EXPECT_EQ(order(heap_report(nullptr, look, HeapKey::messages)), (Ids{3, 1, 2}));
  EXPECT_EQ(order(heap_report(nullptr, look, HeapKey::reductions)), (Ids{3, 1, 2}));
  EXPECT_EQ(order(heap_report(nullptr, look, HeapKey::memory)), (Ids{2, 3, 1}));
  EXPECT_EQ(order(heap_report(nullptr, look, HeapKey::binaries)), (Ids{3, 1, 2}));
  const auto report = heap_report(nullptr, look, HeapKey::heap);
  EXPECT_EQ(report.heap_bytes, 1500u);
  EXPECT_EQ(report.messages, 8u);
  EXPECT_EQ(report.spread[0], 3u) << "less than 1 KiB";
}

TEST(HeapReport, what_is_not_known_is_last_and_not_zero) {
  HeapLook look;
  look.processes = {process(1, 0, 0), process(2, 0, 0), process(3, 0, 0)};
  look.held = {{}, {.memory = beam::Amount{0}}, {.memory = beam::Amount{5, false}}};
  const auto report = heap_report(nullptr, look, HeapKey::memory);
  EXPECT_EQ(order(report), (Ids{3, 2, 1}));
  EXPECT_FALSE(report.rows[2].held.memory);
}

TEST(HeapReport, growth_is_of_processes_known_in_both_looks_and_whole_for_new_ones) {
  HeapLook before, now;
  before.processes = {process(1, 0, 0), process(2, 0, 0), process(3, 0, 0)};
  before.held = {{.memory = beam::Amount{10}}, {}, {.memory = beam::Amount{50, false}}};
  now.processes = {process(1, 0, 0), process(2, 0, 0), process(3, 0, 0), process(4, 0, 0)};
  now.held = {{.memory = beam::Amount{4}},
              {.memory = beam::Amount{9}},
              {.memory = beam::Amount{99}},
              {.memory = beam::Amount{3}}};
  const auto report = heap_report(&before, now, HeapKey::memory);
  EXPECT_EQ(order(report), (Ids{4, 1, 2, 3}));
  EXPECT_EQ(report.rows[0].grown, 3);
  EXPECT_EQ(report.rows[1].grown, -6);
  EXPECT_EQ(report.rows[2].grown, std::nullopt) << "unknown before";
  EXPECT_EQ(report.rows[3].grown, std::nullopt) << "only a part was known before";
}

}  // namespace
}  // namespace beam_exporter::commands
