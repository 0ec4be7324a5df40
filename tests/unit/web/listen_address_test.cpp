#include "web/listen_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

using ::testing::HasSubstr;

TEST(ListenAddress, every_address_of_the_machine) {
  const auto address = parse_listen_address(":10125");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->host, "");
  EXPECT_EQ(address->port, 10125);
}

TEST(ListenAddress, one_address) {
  const auto v4 = parse_listen_address("127.0.0.1:0");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 0);
  EXPECT_FALSE(v4->ipv6);

  const auto v6 = parse_listen_address("[::1]:9");
  ASSERT_TRUE(v6) << v6.error().text;
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 9);
  EXPECT_TRUE(v6->ipv6);
}

TEST(ListenAddress, a_name_is_looked_up) {
  const auto address = parse_listen_address("localhost:80");
  ASSERT_TRUE(address) << address.error().text;
  EXPECT_THAT(address->host, ::testing::AnyOf("127.0.0.1", "::1"));
}

TEST(ListenAddress, the_complaint_names_the_address_and_the_mend) {
  const auto complaint = [](const char* text) {
    const auto address = parse_listen_address(text);
    return address ? "" : address.error().text;
  };
  EXPECT_THAT(complaint("10125"), HasSubstr("\"10125\": no port; write host:port or :port"));
  EXPECT_THAT(complaint(""), HasSubstr("no port"));
  for (const char* text : {":", ":http", ":65536", ":-1", ":1 ", "127.0.0.1:"})
    EXPECT_THAT(complaint(text), HasSubstr("0 to 65535")) << text;
  EXPECT_THAT(complaint("::1:80"), HasSubstr("brackets: [::1]:80"));
  EXPECT_THAT(complaint("nowhere.invalid:80"), HasSubstr("\"nowhere.invalid:80\": "));
  EXPECT_NE(complaint("[]:80"), "");
}

TEST(ListenAddress, all_of_them_or_none) {
  const auto two = parse_listen_addresses({":1", "127.0.0.1:2"});
  ASSERT_TRUE(two) << two.error().text;
  EXPECT_EQ(two->at(1).port, 2);
  EXPECT_FALSE(parse_listen_addresses({}));
  const auto bad = parse_listen_addresses({":1", "10125"});
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().text, HasSubstr("\"10125\""));
  EXPECT_EQ(bool(parse_listen_addresses({"[::1]:0"})), ipv6_available());
}

TEST(ListenAddress, is_written_as_users_write_it) {
  EXPECT_EQ(host_and_port("127.0.0.1", false, 80), "127.0.0.1:80");
  EXPECT_EQ(host_and_port("::1", true, 80), "[::1]:80");
}

}  // namespace
}  // namespace beam_exporter::web
