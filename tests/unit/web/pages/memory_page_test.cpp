#include "web/pages/memory_page.h"

#include <gtest/gtest.h>

#include "unit/web/pages/asked.h"

namespace beam_exporter::web {
namespace {

class MemoryPage : public testing::Test {
 protected:
  MemoryPage() {
    add_memory_page(router_, [this]() -> os::Result<std::shared_ptr<const std::string>> {
      ++looks_;
      if (refused_) return *refused_;
      return text_;
    });
  }

  Response get(const std::string& method = "GET") {
    return asked(router_, "/api/v1/memory", "", method);
  }

  Router router_;
  const std::shared_ptr<const std::string> text_ = std::make_shared<const std::string>("{}\n");
  int looks_ = 0;
  std::optional<os::Error> refused_;
};

TEST_F(MemoryPage, gives_the_result_of_the_look_as_it_is) {
  const auto response = get();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, text_) << "not copied";
  EXPECT_EQ(get("POST").status, 405);
}

TEST_F(MemoryPage, looks_only_for_who_wants_the_result) {
  EXPECT_EQ(get("HEAD").status, 200);
  EXPECT_EQ(looks_, 0);
}

TEST_F(MemoryPage, says_what_is_wrong) {
  refused_ = {os::ErrorKind::system, "too many"};
  EXPECT_EQ(get().status, 429);
  refused_ = {os::ErrorKind::gone, "no VM is watched now"};
  const auto response = get();
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(*response.body, "no VM is watched now\n");
}

}  // namespace
}  // namespace beam_exporter::web
