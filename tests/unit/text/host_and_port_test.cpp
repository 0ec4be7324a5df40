#include "text/host_and_port.h"

#include <gtest/gtest.h>

#include <string>

namespace beam_exporter::text {
namespace {

void expect_parts(std::string_view text, std::string_view host, bool bracketed,
                  std::string_view port) {
  const auto parts = split_host_and_port(text);
  ASSERT_TRUE(parts) << text;
  EXPECT_EQ(parts->host, host) << text;
  EXPECT_EQ(parts->bracketed, bracketed) << text;
  EXPECT_EQ(parts->port, port) << text;
}

TEST(HostAndPort, are_split_at_the_last_colon) {
  expect_parts(":10125", "", false, "10125");
  expect_parts("127.0.0.1:0", "127.0.0.1", false, "0");
  expect_parts("::1:80", "::1", false, "80");
  expect_parts("localhost:", "localhost", false, "");
}

TEST(HostAndPort, brackets_are_no_part_of_the_host) {
  expect_parts("[::1]:80", "::1", true, "80");
  expect_parts("[]:80", "", true, "80");
  expect_parts("[:80", "[", false, "80");
  expect_parts("[::1]", "[:", false, "1]");
}

TEST(HostAndPort, a_text_without_a_colon_has_no_parts) {
  EXPECT_FALSE(split_host_and_port(""));
  EXPECT_FALSE(split_host_and_port("10125"));
}

}  // namespace
}  // namespace beam_exporter::text
