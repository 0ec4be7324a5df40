#include "settings/setting_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace beam_exporter::settings {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(SettingValue, ListenAddresses) {
  for (const char* good : {":10125", ":0", "127.0.0.1:9100", "localhost:65535", "[::1]:10125"})
    EXPECT_EQ(listen_address(good), "") << good;
  for (const char* bad : {"", "10125", ":", "localhost:", ":http", "::1:80", "[::1]", "a b:80",
                          "http://localhost:80", ":1,:2", ":+5"})
    EXPECT_THAT(listen_address(bad), HasSubstr("is not an address such as :10125")) << bad;
  EXPECT_EQ(listen_address(":65536"), "':65536': port 65536 is outside 0..65535");
}

TEST(SettingValue, RegularExpressions) {
  EXPECT_EQ(regular_expression(""), "");
  EXPECT_EQ(regular_expression("sname (shop|cart)@[a-z]+"), "");
  EXPECT_THAT(regular_expression("(shop"), StartsWith("'(shop' is not a regular expression: "));
  EXPECT_THAT(regular_expression("[z-a]"), StartsWith("'[z-a]' is not a regular expression: "));
  EXPECT_THAT(regular_expression(std::string(100'000, '(')), HasSubstr("at most 1000"));
}

TEST(SettingValue, ServerUrls) {
  for (const char* good : {"", "https://debuginfod.debian.net", " http://a:8002/x  https://b "})
    EXPECT_EQ(server_urls(good), "") << good;
  EXPECT_THAT(server_urls("debuginfod.debian.net"),
              StartsWith("'debuginfod.debian.net' is not an"));
  EXPECT_THAT(server_urls("https://a file:///etc"), StartsWith("'file:///etc' is not an address"));
}

TEST(SettingValue, ForcedRegisters) {
  for (const char* good : {"E=r13", "I=rsp+8"}) EXPECT_EQ(forced_register(good), "") << good;
  EXPECT_THAT(forced_register("E=r99"), StartsWith("'E=r99' is not a variable"));
}

TEST(SettingValue, UrlPaths) {
  EXPECT_EQ(url_path("/metrics"), "");
  EXPECT_EQ(url_path("/beam/metrics"), "");
  EXPECT_THAT(url_path("/"), HasSubstr("landing page"));
  for (const char* taken : {"/-/healthy", "/-/reload", "/-/x"})
    EXPECT_THAT(url_path(taken), HasSubstr("is in /-/, where health and reload are")) << taken;
  for (const char* taken :
       {"/api/v1/overview", "/assets/live.js", "/debug/pprof/profile", "/flamegraph"})
    EXPECT_THAT(url_path(taken), HasSubstr("are; choose a path such as /metrics")) << taken;
  for (const char* bad : {"", "metrics", "/metrics/", "/a b", "/a?b", "/a#b", "/**"})
    EXPECT_THAT(url_path(bad), HasSubstr("is not a path such as /metrics")) << bad;
}

TEST(SettingValue, NoWebConfigFileYet) {
  EXPECT_EQ(web_config_file(""), "");
  EXPECT_THAT(web_config_file("/etc/web.yaml"), HasSubstr("not supported yet"));
}

}  // namespace
}  // namespace beam_exporter::settings
