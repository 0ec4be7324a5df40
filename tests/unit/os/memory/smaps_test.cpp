#include "os/memory/smaps.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace beam_exporter::os {
namespace {

const char* const two =
    "5600-5700 r-xp 00000000 08:01 42                         /usr/bin/beam.smp\n"
    "Size:                  4 kB\n"
    "Rss:                   4 kB\n"
    "Anonymous:             0 kB\n"
    "VmFlags: rd ex mr mw me\n"
    "7f00-9f00 rw-p 00000000 00:00 0 \n"
    "Rss:                   8 kB\n"
    "Anonymous:             4 kB\n";

TEST(Smaps, each_mapping_with_what_is_resident) {
  const auto uses = parse_smaps(two);
  ASSERT_TRUE(uses) << uses.error().text;
  ASSERT_EQ(uses->size(), 2u);
  EXPECT_EQ((*uses)[0].mapping.path, "/usr/bin/beam.smp");
  EXPECT_EQ((*uses)[0].resident, 4096u);
  EXPECT_EQ((*uses)[1].mapping.range, (AddressRange{0x7f00, 0x9f00}));
  EXPECT_EQ((*uses)[1].resident, 8192u);
  EXPECT_EQ((*uses)[1].anonymous, 4096u);
}

TEST(Smaps, nonsense_is_refused) {
  EXPECT_FALSE(parse_smaps("Rss: 4 kB\n"));
  EXPECT_FALSE(parse_smaps("hello world\n"));
  EXPECT_FALSE(read_smaps("/proc/0"));
}

TEST(ResidentBytes, counts_the_pages_that_were_touched) {
  constexpr std::size_t page = 4096, pages = 16;
  auto* memory = static_cast<char*>(
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  memory[0] = memory[3 * page] = 1;
  const auto begin = reinterpret_cast<Address>(memory);
  const AddressRange all[] = {{begin, begin + pages * page}};
  const AddressRange first[] = {{begin, begin + page}};
  EXPECT_EQ(resident_bytes("/proc/self", all), 2 * page);
  EXPECT_EQ(resident_bytes("/proc/self", first), page);
  EXPECT_FALSE(resident_bytes("/proc/0", all));
  munmap(memory, pages * page);
}

}  // namespace
}  // namespace beam_exporter::os
