#include "os/memory/memory_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace beam_exporter::os {
namespace {

using testing::HasSubstr;

// As the kernel writes it (fs/proc/task_mmu.c): anonymous lines end in a blank, paths are padded.
const std::string example =
    "00400000-00452000 r-xp 00001000 08:02 173521      /usr/lib/erlang/erts 13/bin/beam.smp\n"
    "00651000-00652000 r--p 00051000 08:02 173521      /usr/lib/erlang/erts 13/bin/beam.smp\n"
    "00652000-00655000 rw-p 00000000 00:00 0 \n"
    "7f0000000000-7f0000001000 rwxs 00000000 00:01 42         /memfd:vmem (deleted)\n"
    "7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

MemoryMap parsed(const std::string& text) {
  auto map = MemoryMap::parse(text);
  if (map) return *map;
  ADD_FAILURE() << map.error().text;
  return {};
}

TEST(MemoryMap, reads_every_field_of_a_line) {
  const auto map = parsed(example);
  ASSERT_EQ(map.mappings().size(), 6u);
  const auto& code = map.mappings()[0];
  EXPECT_EQ(code.range, (AddressRange{0x400000, 0x452000}));
  EXPECT_TRUE(code.readable && !code.writable && code.executable);
  EXPECT_EQ(code.file_offset, 0x1000u);
  EXPECT_EQ(code.inode, 173521u);
  EXPECT_EQ(code.path, "/usr/lib/erlang/erts 13/bin/beam.smp");
  const auto& data = map.mappings()[2];
  EXPECT_TRUE(data.readable && data.writable && !data.executable);
  EXPECT_EQ(data.inode, 0u);
  EXPECT_EQ(data.path, "");
  EXPECT_EQ(map.mappings()[3].path, "/memfd:vmem (deleted)");
  EXPECT_EQ(map.mappings()[4].path, "[stack]");
  const auto& last = map.mappings()[5];
  EXPECT_EQ(last.range.end, 0xffffffffff601000u);
  EXPECT_TRUE(!last.readable && !last.writable && last.executable);
}

TEST(MemoryMap, finds_the_mapping_that_holds_an_address) {
  const auto map = parsed(example);
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_EQ(map.find(0x3fffff), nullptr);
  EXPECT_EQ(map.find(0x400000), &map.mappings()[0]);
  EXPECT_EQ(map.find(0x451fff), &map.mappings()[0]);
  EXPECT_EQ(map.find(0x452000), nullptr);  // the hole behind it
  EXPECT_EQ(map.find(0x652000), &map.mappings()[2]);
  EXPECT_EQ(map.find(0x7ffd00020fff), &map.mappings()[4]);
  EXPECT_EQ(map.find(~Address{0}), nullptr);
}

TEST(MemoryMap, readable_runs_over_adjacent_mappings_and_stops_at_holes) {
  const auto map = parsed(example);
  EXPECT_TRUE(map.readable(0x651000, 0x4000));   // two mappings, wholly
  EXPECT_TRUE(map.readable(0x651fff, 2));        // across their border
  EXPECT_FALSE(map.readable(0x651000, 0x4001));  // one byte too many
  EXPECT_FALSE(map.readable(0x650fff, 2));       // begins in a hole
  EXPECT_FALSE(map.readable(0x451000, 0x200001));
  EXPECT_FALSE(map.readable(0xffffffffff600000, 1));  // mapped, not readable
  EXPECT_FALSE(map.readable(0x7ffd00000000, ~std::uint64_t{0}));
}

TEST(MemoryMap, takes_lines_in_any_order) {
  const auto map = parsed(
      "2000-3000 r--p 00000000 00:00 0 \n"
      "1000-2000 r--p 00000000 00:00 0 \n");
  EXPECT_TRUE(map.readable(0x1000, 0x2000));
}

TEST(MemoryMap, nothing_is_mapped_in_an_empty_map) {
  const auto map = parsed("");
  EXPECT_EQ(map.find(0x1000), nullptr);
  EXPECT_FALSE(map.readable(0x1000, 1));
}

TEST(MemoryMap, refuses_what_is_no_line_of_maps) {
  for (const char* line : {"nonsense", "", "1000-2000", "1000-2000 r--p", "1000-2000 r--p 0 00:00",
                           "1000 r--p 0 0:0 0", "2000-1000 r--p 00000000 00:00 0 ",
                           "1000-1000 r--p 00000000 00:00 0 "}) {
    const auto map =
        MemoryMap::parse(std::string("1000-2000 r--p 00000000 00:00 0 \n") + line + "\n");
    ASSERT_FALSE(map) << line;
    EXPECT_EQ(map.error().kind, ErrorKind::malformed);
    EXPECT_THAT(map.error().text, HasSubstr(std::string("'") + line + "'"));
  }
}

TEST(MemoryMap, knows_our_own_memory) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* ours = mmap(nullptr, 3 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(ours, MAP_FAILED);
  const auto begin = reinterpret_cast<Address>(ours);
  ASSERT_EQ(mprotect(static_cast<char*>(ours) + page, page, PROT_NONE), 0);
  const auto map = MemoryMap::read("/proc/self");
  munmap(ours, 3 * page);
  ASSERT_TRUE(map) << map.error().text;
  EXPECT_TRUE(map->readable(begin, page));
  EXPECT_FALSE(map->readable(begin, page + 1));
  EXPECT_FALSE(map->readable(begin + page, 1));
  EXPECT_TRUE(map->readable(begin + 2 * page, page));
  const auto* code = map->find(reinterpret_cast<Address>(&parsed));
  ASSERT_NE(code, nullptr);
  EXPECT_TRUE(code->executable);
  EXPECT_THAT(code->path, HasSubstr("unit_os"));
}

TEST(MemoryMap, a_process_that_is_not_there_has_none) {
  const auto map = MemoryMap::read("/proc/0");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().kind, ErrorKind::not_permitted);
  EXPECT_THAT(map.error().text, HasSubstr("/proc/0/maps"));
}

}  // namespace
}  // namespace beam_exporter::os
