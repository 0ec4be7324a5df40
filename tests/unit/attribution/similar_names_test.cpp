#include "attribution/similar_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::attribution {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SimilarNames, are_those_that_few_mistakes_lead_to_or_that_contain_the_word) {
  const std::vector<std::string> names{"copy_struct_x", "copy_struct", "size_object", "memcpy",
                                       "copy_struct"};
  EXPECT_THAT(similar_names("copy_strct", names, 5), ElementsAre("copy_struct"));
  EXPECT_THAT(similar_names("copy_struct", names, 5), ElementsAre("copy_struct", "copy_struct_x"));
  EXPECT_THAT(similar_names("copy_struct", names, 1), ElementsAre("copy_struct"));
  EXPECT_THAT(similar_names("object", names, 5), ElementsAre("size_object"));
  EXPECT_THAT(similar_names("erts_garbage", names, 5), IsEmpty());
}

}  // namespace
}  // namespace beam_exporter::attribution
