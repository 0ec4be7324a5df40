// Both formats read by the programs that users read them with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "metrics/exposition/open_metrics_writer.h"
#include "metrics/exposition/text_writer.h"
#include "metrics/families/snapshot_collector.h"
#include "unit/metrics/example_snapshot.h"
#include "unit/metrics/gauge_histogram.h"

namespace beam_exporter::metrics {
namespace {

using ::testing::HasSubstr;

struct Answer {
  int exit_code = -1;
  std::string output;  // both streams
};

// Runs a shell command with `input` as its standard input.
Answer run(const std::string& command, const std::string& input) {
  std::string path = std::filesystem::temp_directory_path() / "exposition_XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) return {};
  std::FILE* file = fdopen(fd, "w");
  std::fwrite(input.data(), 1, input.size(), file);
  std::fclose(file);

  Answer answer;
  std::FILE* pipe = popen((command + " <'" + path + "' 2>&1").c_str(), "r");
  char buffer[4096];
  while (const auto size = std::fread(buffer, 1, sizeof buffer, pipe))
    answer.output.append(buffer, size);
  const int status = pclose(pipe);
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::filesystem::remove(path);
  return answer;
}

bool works(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

const std::string parser =
    "/usr/bin/python3 " SOURCE_DIR "/tests/unit/metrics/parse_open_metrics.py";

class Promtool : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!works("promtool --version")) GTEST_SKIP() << "needs promtool (Debian package prometheus)";
  }
};

class OpenMetricsParser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!works("/usr/bin/python3 -c 'import prometheus_client'"))
      GTEST_SKIP() << "needs Debian package python3-prometheus-client";
  }
};

TEST_F(Promtool, has_no_complaint_about_the_example) {
  const auto text = write_text(example_families());
  ASSERT_TRUE(text);
  const auto answer = run("promtool check metrics", *text);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.output, "");
}

TEST_F(Promtool, has_no_complaint_about_a_gaugehistogram) {
  const GaugeHistogram example;
  const auto family = example.checked();
  const auto answer = run("promtool check metrics", write_text(std::span(&family, 1)));
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.output, "");
}

TEST_F(OpenMetricsParser, reads_every_sample_of_the_example) {
  const auto text = write_open_metrics(example_families());
  ASSERT_TRUE(text);
  const auto answer = run(parser, *text);
  EXPECT_EQ(answer.exit_code, 0) << answer.output;
  const auto lines = [](const std::string& page, bool samples_only) {
    long count = 0;
    for (std::size_t at = 0; at < page.size(); at = page.find('\n', at) + 1)
      if (!samples_only || page[at] != '#') ++count;
    return count;
  };
  EXPECT_EQ(lines(answer.output, false), lines(*text, true));
  for (const char* line : {
           "beam_vm info - beam_vm_info {",
           "beam_vm_cpu_seconds counter seconds beam_vm_cpu_seconds_total {\"mode\": \"user\"} "
           "123.45",
           "beam_function_cpu_seconds counter seconds beam_function_cpu_seconds_total "
           "{\"function\": \"back\\\\slash\\nline/0\", \"module\": \"odd \\\"mod\\\"\"} 1.0",
           "{\"function\": \"\\ud83d\\ude00/1\", \"module\": \"gr\\u00fc\\u00df\"} 0.25",
           "{\"function\": \"nul\\ufffdx/2\", \"module\": \"bad\\ufffd\"} 5e-324",
           "beam_sample_skid_seconds histogram seconds beam_sample_skid_seconds_bucket "
           "{\"le\": \"2.5e+06\"} 15.0",
           "beam_exporter_build info - beam_exporter_build_info {",
           "process_open_fds gauge - process_open_fds {} 42.0",
       })
    EXPECT_THAT(answer.output, HasSubstr(line));
}

TEST_F(OpenMetricsParser, reads_a_gaugehistogram) {
  const GaugeHistogram example;
  const auto family = example.checked();
  const auto answer = run(parser, write_open_metrics(std::span(&family, 1)));
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.output,
              HasSubstr("beam_example_bytes gaugehistogram bytes beam_example_bytes_gsum "
                        "{\"allocator\": \"binary\"} 5000.0"));
}

TEST_F(OpenMetricsParser, reads_a_page_without_a_vm) {
  const auto text = write_open_metrics(snapshot_families({}, example_build()));
  ASSERT_TRUE(text);
  const auto answer = run(parser, *text);
  EXPECT_EQ(answer.exit_code, 0) << answer.output;
  EXPECT_THAT(answer.output, HasSubstr("beam_up gauge - beam_up {} 0.0"));
}

}  // namespace
}  // namespace beam_exporter::metrics
