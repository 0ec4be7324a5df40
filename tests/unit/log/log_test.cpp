#include "log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace beam_exporter::log {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// 2026-11-20T16:00:00.007Z
const std::chrono::system_clock::time_point moment{std::chrono::milliseconds{1795190400007}};

std::string logfmt(std::string_view message, std::string value) {
  const std::array fields{Field{"key", std::move(value)}};
  return line_of(Format::logfmt, moment, Level::info, message, fields);
}

std::string json(std::string_view message, std::string value) {
  const std::array fields{Field{"key", std::move(value)}};
  return line_of(Format::json, moment, Level::info, message, fields);
}

TEST(LogLine, Logfmt) {
  EXPECT_EQ(logfmt("attached", "123"),
            R"(ts=2026-11-20T16:00:00.007Z level=info msg="attached" key=123)");
}

TEST(LogLine, Json) {
  EXPECT_EQ(json("attached", "123"),
            R"({"ts":"2026-11-20T16:00:00.007Z","level":"info","msg":"attached","key":"123"})");
}

TEST(LogLine, NamesEveryLevel) {
  EXPECT_THAT(line_of(Format::logfmt, moment, Level::debug, "", {}), HasSubstr("level=debug "));
  EXPECT_THAT(line_of(Format::logfmt, moment, Level::warn, "", {}), HasSubstr("level=warn "));
  EXPECT_THAT(line_of(Format::logfmt, moment, Level::error, "", {}), HasSubstr("level=error "));
}

TEST(LogLine, LogfmtQuotesWhatWouldSplit) {
  EXPECT_THAT(logfmt("m", "lists:map/2"), EndsWith(" key=lists:map/2"));
  EXPECT_THAT(logfmt("m", "two words"), EndsWith(R"( key="two words")"));
  EXPECT_THAT(logfmt("m", ""), EndsWith(R"( key="")"));
  EXPECT_THAT(logfmt("m", "a=b"), EndsWith(R"( key="a=b")"));
  EXPECT_THAT(logfmt("say \"hi\"\\\n", R"(a"b\c)"),
              EndsWith(R"( msg="say \"hi\"\\\n" key="a\"b\\c")"));
}

TEST(LogLine, OneEventIsOneLineWhateverItsBytes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& line : {logfmt(all, all), json(all, all)}) {
    for (const char c : line) EXPECT_FALSE(c >= 0 && c < ' ');
    EXPECT_THAT(line, HasSubstr(R"(\u0000\u0001)"));
    EXPECT_THAT(line, HasSubstr(R"(\t\n)"));
    EXPECT_THAT(line, HasSubstr("\xEF\xBF\xBD"));
  }
}

TEST(LogLine, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_THAT(json("m", "gr\u00fc\u00df \u20ac \U0001F600"),
              HasSubstr("gr\u00fc\u00df \u20ac \U0001F600\"}"));
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_THAT(json("m", "a\xFFz"), HasSubstr("\"a" + replaced + "z\"}"));
  EXPECT_THAT(json("m", "cut\xE2\x82"), HasSubstr("\"cut" + replaced + "\"}"));
  EXPECT_THAT(json("m", "\xC0\x80"), HasSubstr("\"" + replaced + replaced + "\"}"));  // overlong
  EXPECT_THAT(json("m", "\xED\xA0\x80"),
              HasSubstr("\"" + replaced + replaced + replaced));  // surrogate
}

class Log : public testing::Test {
 protected:
  ~Log() override {
    set_level(Level::info);
    set_format(Format::logfmt);
  }
};

TEST_F(Log, WritesLinesToStderrAndNothingToStdout) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  info("one", {{"pid", "1"}, {"reason", "{}"}});
  error("two {}");
  const std::string out = testing::internal::GetCapturedStdout();
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_EQ(out, "");
  EXPECT_THAT(err, StartsWith("ts=20"));
  EXPECT_THAT(err, HasSubstr(" level=info msg=\"one\" pid=1 reason={}\nts="));
  EXPECT_THAT(err, EndsWith(" level=error msg=\"two {}\"\n"));
}

TEST_F(Log, LevelAndFormatChangeWhileRunning) {
  testing::internal::CaptureStderr();
  debug("hidden");
  set_level(Level::debug);
  set_format(Format::json);
  debug("seen");
  set_level(Level::error);
  warn("hidden");
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_THAT(err, Not(HasSubstr("hidden")));
  EXPECT_THAT(err, StartsWith("{\"ts\":\"20"));
  EXPECT_THAT(err, EndsWith(",\"level\":\"debug\",\"msg\":\"seen\"}\n"));
}

TEST_F(Log, ManyThreadsWriteWholeLines) {
  testing::internal::CaptureStderr();
  const auto write = [](const std::string& name) {
    for (int count = 0; count < 200; ++count) info(name, {{"key", name}});
  };
  {
    const std::jthread first(write, "aaaa");
    const std::jthread second(write, "bbbb");
    for (int count = 0; count < 100; ++count)
      set_level(count % 2 == 0 ? Level::debug : Level::info);
  }
  const std::string err = testing::internal::GetCapturedStderr();
  std::size_t lines = 0;
  for (std::size_t at = 0; at < err.size(); ++lines) {
    const std::size_t end = err.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const std::string line = err.substr(at, end - at);
    EXPECT_TRUE(line.ends_with(" level=info msg=\"aaaa\" key=aaaa") ||
                line.ends_with(" level=info msg=\"bbbb\" key=bbbb"))
        << line;
    at = end + 1;
  }
  EXPECT_EQ(lines, 400u);
}

}  // namespace
}  // namespace beam_exporter::log
