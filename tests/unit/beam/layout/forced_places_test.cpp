#include "beam/layout/forced_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::beam {
namespace {

using Register = os::UserRegisters;
using testing::HasSubstr;

TEST(ForcedPlaces, AreRegistersAndWordsOfTheFrame) {
  const auto forced = forced_places({"I=r12", "E=rsp+8"});
  ASSERT_TRUE(forced) << forced.error().text;
  EXPECT_EQ(forced->instruction, InterpreterPlace(Register::r12));
  EXPECT_EQ(forced->stack, InterpreterPlace(Register::rsp, 8));
  EXPECT_EQ(forced_places({"E=rbp-32"})->stack, InterpreterPlace(Register::rbp, -32));
  EXPECT_FALSE(forced_places({"E=rbp-32"})->instruction);
  EXPECT_FALSE(forced_places({})->any());
  EXPECT_EQ(place_text({Register::rbp, -32}), "rbp-32");
  EXPECT_EQ(place_text({Register::rsp, 8}), "rsp+8");
  EXPECT_EQ(place_text(Register::r13), "r13");
}

TEST(ForcedPlaces, AMistakeGetsOneLine) {
  for (const char* bad : {"", "E", "E=", "E=r16", "E=rip", "E=rsp+", "E=rsp+4", "E=rsp+-8",
                          "E=rsp-", "E=rsp+99999999", "e=r13", "HTOP=r10", "E=r13 ", "=r13"}) {
    const auto forced = forced_places({bad});
    ASSERT_FALSE(forced) << bad;
    EXPECT_EQ(forced.error().kind, os::ErrorKind::invalid_argument);
    EXPECT_THAT(forced.error().text, HasSubstr("such as E=r13 or I=rsp+8"));
  }
  EXPECT_THAT(forced_places({"c_p=r13"}).error().text, HasSubstr("is not needed"));
}

}  // namespace
}  // namespace beam_exporter::beam
