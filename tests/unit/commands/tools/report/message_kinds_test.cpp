#include "commands/tools/report/message_kinds.h"

#include <gtest/gtest.h>

namespace beam_exporter::commands {
namespace {

TEST(MessageKinds, the_most_frequent_kind_is_first) {
  MessageKinds kinds;
  for (const char* kind : {"stop", "{tick}/1", "a", "{tick}/1"}) kinds.add(kind);
  EXPECT_EQ(kinds.text(4, false),
            "            {tick}/1 x 2\n            a x 1\n            stop x 1\n");
}

TEST(MessageKinds, says_how_many_were_looked_at) {
  MessageKinds kinds;
  kinds.add("stop");
  EXPECT_EQ(kinds.text(812, false), "            stop x 1\n            (the first 1 of 812)\n");
  EXPECT_EQ(MessageKinds().text(3, true),
            "            (the first 0 of 3)\n"
            "            (the queue changed while it was read: a kind may be wrong)\n");
}

}  // namespace
}  // namespace beam_exporter::commands
