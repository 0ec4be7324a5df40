#include "web/pages/profile_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/inflated.h"
#include "profile/formats/pprof.h"
#include "unit/profile/small_profile.h"
#include "unit/web/pages/asked.h"

namespace beam_exporter::web {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class ProfilePages : public testing::Test {
 protected:
  ProfilePages() {
    add_profile_pages(router_, [this](std::chrono::seconds time) -> os::Result<profile::Profile> {
      asked_ = time;
      if (refused_) return *refused_;
      return profile::small_profile();
    });
  }

  Response get(const std::string& path, const std::string& query = "",
               const std::string& method = "GET") {
    return asked(router_, path, query, method);
  }

  Router router_;
  std::chrono::seconds asked_{};
  std::optional<os::Error> refused_;
};

TEST_F(ProfilePages, give_the_profile_in_all_forms) {
  const auto pprof = get("/debug/pprof/profile", "seconds=7");
  EXPECT_EQ(asked_.count(), 7);
  EXPECT_EQ(pprof.status, 200);
  EXPECT_EQ(tests::inflated(*pprof.body), profile::pprof(profile::small_profile()));
  const auto flame = get("/flamegraph");
  EXPECT_EQ(asked_.count(), 10);
  EXPECT_EQ(flame.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(*flame.body, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(*flame.body, HasSubstr("MyApp.Foo.bar/1"));
  const auto svg = get("/flamegraph", "seconds=2&format=svg");
  EXPECT_EQ(asked_.count(), 2);
  EXPECT_EQ(svg.content_type, "image/svg+xml; charset=utf-8");
  EXPECT_THAT(*svg.body, StartsWith("<svg "));
  EXPECT_THAT(*get("/debug/pprof/").body, HasSubstr("profile?seconds=N"));
}

TEST_F(ProfilePages, say_what_is_wrong_and_do_not_wait_for_it) {
  EXPECT_EQ(get("/debug/pprof/profile", "seconds=301").status, 400);
  EXPECT_EQ(get("/flamegraph", "seconds=x").status, 400);
  for (const auto* query : {"format=png", "format=", "format"})
    EXPECT_THAT(*get("/flamegraph", query).body, HasSubstr("html or svg")) << query;
  EXPECT_EQ(get("/flamegraph", "", "HEAD").status, 200);
  EXPECT_EQ(asked_.count(), 0);
  refused_ = {os::ErrorKind::system, "too many"};
  EXPECT_EQ(get("/flamegraph").status, 429);
  refused_ = {os::ErrorKind::gone, "no VM is sampled now"};
  const auto nothing = get("/debug/pprof/profile");
  EXPECT_EQ(nothing.status, 503);
  EXPECT_THAT(*nothing.body, HasSubstr("no VM"));
}

}  // namespace
}  // namespace beam_exporter::web
