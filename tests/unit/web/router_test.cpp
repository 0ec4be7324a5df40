#include "web/router.h"

#include <gtest/gtest.h>

namespace beam_exporter::web {
namespace {

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    router_.add("/a", {"GET"}, [](const Request&) { return text_response(200, "a"); });
    router_.add("/b", {"POST", "PUT"}, [](const Request&) { return text_response(200, "b"); });
  }
  Response ask(const std::string& method, const std::string& path) {
    Request request;
    request.method = method;
    request.path = path;
    return router_.answer(request);
  }
  Router router_;
};

TEST_F(RouterTest, paths_are_exact) {
  EXPECT_EQ(*ask("GET", "/a").body, "a");
  for (const char* path : {"/a/", "/A", "/ab", "", "/", "/c"})
    EXPECT_EQ(ask("GET", path).status, 404) << path;
}

TEST_F(RouterTest, who_allows_get_allows_head) {
  EXPECT_EQ(ask("HEAD", "/a").status, 200);
  EXPECT_EQ(ask("HEAD", "/b").status, 405);
}

TEST_F(RouterTest, another_method_is_told_what_the_page_takes) {
  const auto refused = ask("GET", "/b");
  EXPECT_EQ(refused.status, 405);
  ASSERT_EQ(refused.headers.size(), 1u);
  EXPECT_EQ(refused.headers[0].name, "Allow");
  EXPECT_EQ(refused.headers[0].value, "POST, PUT");
  EXPECT_EQ(ask("DELETE", "/a").headers.at(0).value, "GET, HEAD");
}

TEST(Request, joins_headers_of_one_name_whatever_their_case) {
  Request request;
  request.headers = {{"Accept", "a"}, {"X", "no"}, {"ACCEPT", "b"}};
  EXPECT_EQ(request.header("accept"), "a, b");
  EXPECT_EQ(request.header("Accep"), "");
}

}  // namespace
}  // namespace beam_exporter::web
