#include "collectors/memory_figures.h"

#include <gtest/gtest.h>

#include <numeric>

#include "collectors/resident_parts.h"
#include "totals/collector_totals.h"

namespace beam_exporter::collectors {
namespace {

beam::Carrier carrier(std::uint64_t used, std::optional<std::uint64_t> largest,
                      bool pooled = false) {
  return {.allocator = 1,
          .pooled = pooled,
          .size = 1000,
          .head = 100,
          .used = used,
          .largest = largest};
}

const beam::AllocatorSet one_allocator = {{"", "ets_alloc"}, 1, {{.allocator = 1, .index = 0}}};

TEST(Fragmentation, both_ratios_over_all_carriers_pooled_ones_included) {
  beam::CarrierWalk walk;
  walk.carriers = {carrier(500, 400), carrier(700, 100, true)};
  auto single = carrier(0, std::nullopt);
  single.single_block = true;
  walk.carriers.push_back(single);
  const auto figures = fragmentation(one_allocator, walk);
  ASSERT_EQ(figures.size(), 1u);
  const auto& ets = figures[0];
  EXPECT_EQ(ets.carriers, 2);
  EXPECT_EQ(ets.pooled_carriers, 1);
  EXPECT_EQ(ets.free_bytes, 600);
  EXPECT_EQ(ets.largest_free_block_bytes, 400);
  EXPECT_DOUBLE_EQ(*ets.fragmentation_ratio, 1 - 400. / 600);
  EXPECT_DOUBLE_EQ(*ets.carrier_fragmentation_ratio, 1 - 500. / 600);
  EXPECT_DOUBLE_EQ(ets.utilization.sum, 1.2);
}

TEST(Fragmentation, is_absent_when_nothing_is_free_or_a_largest_block_is_not_known) {
  beam::CarrierWalk walk;
  walk.carriers = {carrier(900, 0)};
  EXPECT_FALSE(fragmentation(one_allocator, walk)[0].fragmentation_ratio);
  EXPECT_EQ(fragmentation(one_allocator, walk)[0].largest_free_block_bytes, 0);
  walk.carriers.push_back(carrier(500, std::nullopt));
  EXPECT_FALSE(fragmentation(one_allocator, walk)[0].largest_free_block_bytes);
  EXPECT_FALSE(fragmentation(one_allocator, walk)[0].carrier_fragmentation_ratio);
}

std::vector<std::uint64_t> longest_queues(std::size_t most) {
  ProcessTally tally(most);
  for (const std::uint64_t messages : {5, 0, 9, 7, 0, 1}) tally.add({.messages = messages});
  const auto& counts = tally.section().message_queue_length.bucket_counts;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 6U);
  EXPECT_TRUE(tally.largest_heaps().empty());
  std::vector<std::uint64_t> lengths;
  for (const auto& process : tally.longest_queues()) lengths.push_back(process.messages);
  return lengths;
}

TEST(ProcessTally, keeps_the_largest_descending_without_zeros) {
  EXPECT_EQ(longest_queues(2), (std::vector<std::uint64_t>{9, 7}));
  EXPECT_EQ(longest_queues(9), (std::vector<std::uint64_t>{9, 7, 5, 1}));
  EXPECT_TRUE(longest_queues(0).empty());
}

TEST(ResidentParts, every_page_belongs_to_one_part) {
  const auto mapping = [](os::Address begin, os::Address end, const char* path,
                          bool readable = true) {
    os::Mapping out;
    out.range = {begin, end};
    out.readable = out.writable = readable;
    out.path = path;
    out.inode = *path == '/' ? 1 : 0;
    return out;
  };
  const std::vector<os::MappingUse> uses = {
      {mapping(0x1000, 0x2000, "/bin/beam"), 10, 1},
      {mapping(0x3000, 0x4000, "[heap]"), 20, 20},
      {mapping(0x10000, 0x11000, "", false), 0, 0},
      {mapping(0x11000, 0x20000, ""), 30, 30},
      {mapping(0x40000, 0x80000, ""), 100, 100},
      {mapping(0x90000, 0x91000, "/memfd:vmem (deleted)"), 7, 0},
      {mapping(0xa0000, 0xa4000, ""), 50, 50},
  };
  std::vector<beam::Carrier> carriers = {{.address = 0x40000, .size = 0x4000},
                                         {.address = 0x44000, .size = 0x4000}};
  std::vector<os::AddressRange> asked;
  const auto seen = [&](std::span<const os::AddressRange> ranges) {
    asked.assign(ranges.begin(), ranges.end());
    return std::optional<std::uint64_t>(60);
  };
  const auto parts = resident_parts(uses, carriers, {}, seen);
  EXPECT_EQ(asked, (std::vector<os::AddressRange>{{0x40000, 0x48000}})) << "neighbours are one";
  EXPECT_EQ(parts.by_part, (std::map<std::string, double>{{"c_heap", 20},
                                                          {"carriers", 60},
                                                          {"files", 10},
                                                          {"jit_code", 7},
                                                          {"other", 90},
                                                          {"thread_stacks", 30}}));
  EXPECT_EQ(parts.resident, 217);
  EXPECT_EQ(parts.anonymous, 201);
  const auto split = resident_parts(uses, carriers, {}, seen, [](const beam::Carrier& one) {
    return one.address == 0x40000 ? "first" : "second";
  });
  EXPECT_EQ(split.carriers, 100);
  EXPECT_EQ(split.by_part.at("first"), 60);
  EXPECT_EQ(split.by_part.at("second"), 40) << "never more than the mapping has";
  const BesideCarriers beside{
      .literal_area = os::AddressRange{0xa0000, 0xb0000},
      .cached_segments = {{{0x43000, 0x45000}, {0x50000, 0x51000}, {0x51000, 0x52000}}}};
  const auto blind = resident_parts(uses, carriers, beside, [](auto) { return std::nullopt; });
  EXPECT_FALSE(blind.carriers);
  EXPECT_FALSE(blind.by_part.contains("mseg_cache")) << "without pages nobody can tell";
  EXPECT_EQ(blind.by_part.at("other"), 150);

  std::map<os::Address, os::Address> looked_at;
  const auto told = resident_parts(uses, carriers, beside, [&](auto ranges) {
    for (const auto& range : ranges) looked_at.emplace(range.begin, range.end);
    return std::optional<std::uint64_t>(30);
  });
  EXPECT_EQ(looked_at, (std::map<os::Address, os::Address>{
                           {0x40000, 0x48000}, {0x50000, 0x52000}, {0xa0000, 0xa4000}}))
      << "a cached segment that is a carrier by now is left out";
  EXPECT_EQ(told.by_part.at("carriers"), 30);
  EXPECT_EQ(told.by_part.at("mseg_cache"), 30);
  EXPECT_EQ(told.by_part.at("literal_area"), 30);
  EXPECT_EQ(told.by_part.at("other"), 60);
}

TEST(CollectorTotals, counters_never_go_back_and_go_on_with_the_next_vm) {
  totals::CollectorTotals totals(std::array<std::string_view, 1>{"vitals"});
  totals::Snapshot snapshot;
  totals.write(snapshot);
  EXPECT_FALSE(snapshot.counters.reductions);
  EXPECT_EQ(snapshot.own.torn_reads.at("vitals"), 0);
  totals.take({.reductions = 100});
  totals.take({.reductions = 90});
  totals.forget_vm();
  totals.take({.reductions = 5});
  totals.count_torn("vitals", 2);
  totals.count_run("vitals", std::chrono::milliseconds(3), false, {});
  totals.write(snapshot);
  EXPECT_EQ(snapshot.counters.reductions, 105);
  EXPECT_FALSE(snapshot.counters.io_in_bytes);
  EXPECT_EQ(snapshot.own.torn_reads.at("vitals"), 2);
  EXPECT_FALSE(snapshot.own.collectors.at("vitals").success);
  EXPECT_FALSE(snapshot.own.collectors.at("vitals").last_success_seconds);
}

}  // namespace
}  // namespace beam_exporter::collectors
