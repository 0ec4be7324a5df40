#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "profile/formats/flame_tree.h"
#include "profile/formats/pprof.h"
#include "unit/profile/small_profile.h"

namespace beam_exporter::profile {
namespace {

TEST(ReadPprof, gives_back_what_was_written) {
  const Profile written = small_profile();
  const auto read = read_pprof(pprof(written));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(folded(*read), folded(written));
  EXPECT_EQ(read->samples(), written.samples());
  EXPECT_EQ(read->cpu_time(), written.cpu_time());
  EXPECT_EQ(read->duration, written.duration);
  EXPECT_EQ(read->period, written.period);
  EXPECT_EQ(read->labels, written.labels);
}

TEST(ReadPprof, knows_functions_of_the_kernel_by_their_mark) {
  Profile written = small_profile();
  written.functions[3] = {.kind = FunctionKind::kernel, .name = "vfs_read"};
  const auto read = read_pprof(pprof(written));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(folded(*read), folded(written));
  EXPECT_EQ(std::ranges::count(read->functions, FunctionKind::kernel, &Function::kind), 1);
}

TEST(ReadPprof, refuses_what_is_none) {
  for (const std::string text : {"", "hello, this is text", "\x0a\xff\xff\xff\xff\x0f"})
    EXPECT_FALSE(read_pprof(text));
}

TEST(ReadPprof, survives_any_change_of_a_byte) {
  const std::string whole = pprof(small_profile());
  std::mt19937 random(7);
  for (int k = 0; k < 3000; ++k) {
    std::string broken = whole;
    broken[random() % broken.size()] = static_cast<char>(random());
    broken.resize(broken.size() - random() % 3);
    if (const auto read = read_pprof(broken)) (void)folded(*read);
  }
}

}  // namespace
}  // namespace beam_exporter::profile
