#include "web/pages/process_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/inflated.h"
#include "profile/formats/pprof.h"
#include "unit/profile/small_process_profile.h"
#include "unit/web/pages/asked.h"

namespace beam_exporter::web {
namespace {

using profile::small_process_profile;
using testing::HasSubstr;

class ProcessPages : public testing::Test {
 protected:
  ProcessPages() {
    add_process_pages(
        router_, [this]() -> os::Result<std::shared_ptr<const profile::ProcessProfile>> {
          ++looks_;
          if (refused_) return *refused_;
          return std::make_shared<const profile::ProcessProfile>(small_process_profile());
        });
  }

  Response get(const std::string& path, const std::string& query = "",
               const std::string& method = "GET") {
    return asked(router_, path, query, method);
  }

  Router router_;
  int looks_ = 0;
  std::optional<os::Error> refused_;
};

TEST_F(ProcessPages, give_pprof_and_text) {
  const auto both = small_process_profile();
  EXPECT_EQ(tests::inflated(*get("/debug/pprof/processes").body),
            profile::pprof(both, profile::ProcessOrder::processes));
  EXPECT_EQ(tests::inflated(*get("/debug/pprof/heap").body),
            profile::pprof(both, profile::ProcessOrder::heap));
  EXPECT_EQ(*get("/debug/pprof/processes", "debug=1").body,
            profile::process_text(both, profile::ProcessOrder::processes, 1000));
  EXPECT_THAT(*get("/debug/pprof/heap", "debug=1").body, HasSubstr("5000000 bytes of heap"));
}

TEST_F(ProcessPages, say_what_is_wrong) {
  EXPECT_EQ(get("/debug/pprof/processes", "debug=2").status, 400);
  EXPECT_EQ(get("/debug/pprof/heap", "", "HEAD").status, 200);
  EXPECT_EQ(looks_, 0);
  refused_ = {os::ErrorKind::system, "too many"};
  EXPECT_EQ(get("/debug/pprof/processes").status, 429);
  refused_ = {os::ErrorKind::gone, "no VM is watched now"};
  EXPECT_EQ(get("/debug/pprof/heap").status, 503);
}

}  // namespace
}  // namespace beam_exporter::web
