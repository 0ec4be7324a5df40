#include "web/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace beam_exporter::web {
namespace {

using ::testing::HasSubstr;

Content short_content() {
  Content out;
  out.version = "1.2.3";
  out.metrics = [](metrics::Format) -> os::Result<metrics::Page> {
    return std::make_shared<const std::string>("beam_up 1\n");
  };
  out.target = [] { return "OTP <25>"; };
  return out;
}

Response answer_to(const Router& router, const std::string& method, const std::string& path) {
  Request request;
  request.method = method;
  request.path = path;
  return router.answer(request);
}

TEST(Pages, the_usual_ones_are_there) {
  const auto router = pages({}, short_content());
  EXPECT_EQ(*answer_to(router, "GET", "/metrics").body, "beam_up 1\n");
  EXPECT_EQ(answer_to(router, "GET", "/-/healthy").status, 200);
  EXPECT_EQ(answer_to(router, "GET", "/-/ready").status, 200);
  const auto landing = answer_to(router, "GET", "/");
  EXPECT_EQ(landing.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(*landing.body, HasSubstr("OTP &lt;25&gt;"));
  EXPECT_THAT(*landing.body, HasSubstr("href=\"/metrics\""));
  EXPECT_EQ(answer_to(router, "POST", "/-/reload").status, 404);
}

TEST(Pages, another_telemetry_path_is_linked_and_served) {
  WebOptions options;
  options.telemetry_path = "/beam/metrics";
  const auto router = pages(options, short_content());
  EXPECT_EQ(answer_to(router, "GET", "/beam/metrics").status, 200);
  EXPECT_EQ(answer_to(router, "GET", "/metrics").status, 404);
  EXPECT_THAT(*answer_to(router, "GET", "/").body, HasSubstr("href=\"/beam/metrics\""));
}

TEST(Pages, a_page_that_cannot_be_rendered_is_a_500_with_the_reason) {
  auto broken = short_content();
  broken.metrics = [](metrics::Format) -> os::Result<metrics::Page> {
    return os::Error{os::ErrorKind::malformed, "family x appears twice"};
  };
  const auto router = pages({}, broken);
  const auto response = answer_to(router, "GET", "/metrics");
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(*response.body, HasSubstr("family x appears twice"));
}

TEST(TargetLine, tells_the_vm_or_why_there_is_none) {
  totals::Snapshot snapshot;
  EXPECT_EQ(target_line(snapshot), "none");
  snapshot.down_reason = "no beam.smp is running";
  EXPECT_EQ(target_line(snapshot), "none: no beam.smp is running");
  snapshot.up = true;
  snapshot.vm = {"25", "13.1.5", "jit", "dwarf", ""};
  EXPECT_EQ(target_line(snapshot), "OTP 25 (erts 13.1.5, jit)");
  snapshot.process.emplace();
  snapshot.process->pid = 42;
  EXPECT_EQ(target_line(snapshot), "OTP 25 (erts 13.1.5, jit), pid 42");
}

}  // namespace
}  // namespace beam_exporter::web
