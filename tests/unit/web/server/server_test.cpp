#include "web/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>

#include "harness/inflated.h"
#include "unit/web/http_client.h"
#include "web/pages/pages.h"

namespace beam_exporter::web {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string text_page(200000, 't');
const std::string open_page = std::string(1000, 'o') + "\n# EOF\n";

Content content() {
  Content out;
  out.version = "1.2.3";
  out.metrics = [](metrics::Format format) -> os::Result<metrics::Page> {
    return std::make_shared<const std::string>(
        format == metrics::Format::open_metrics_1_0_0 ? open_page : text_page);
  };
  out.target = [] { return "none"; };
  return out;
}

WebOptions listening_on(const std::vector<std::string>& addresses) {
  WebOptions options;
  auto parsed = parse_listen_addresses(addresses);
  EXPECT_TRUE(parsed) << parsed.error().text;
  if (parsed) options.listen_addresses = std::move(*parsed);
  return options;
}

WebOptions on_free_port() { return listening_on({"127.0.0.1:0"}); }

Server serve(const WebOptions& options, Content what = content()) {
  auto router = pages(options, std::move(what));
  auto server = Server::start(options, std::move(router));
  EXPECT_TRUE(server) << server.error().text;
  return std::move(*server);
}

std::string port_of(const std::string& address) { return address.substr(address.rfind(':')); }

TEST(Server, says_where_it_listens_and_answers_there) {
  const auto server = serve(on_free_port());
  ASSERT_EQ(server.addresses().size(), 1u);
  EXPECT_THAT(server.addresses()[0], StartsWith("127.0.0.1:"));
  EXPECT_NE(server.addresses()[0], "127.0.0.1:0");
  const auto answer = ask(server.addresses()[0], "GET", "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, text_page);
  EXPECT_EQ(std::count_if(answer.headers.begin(), answer.headers.end(),
                          [](const auto& header) { return header.first == "Date"; }),
            1);
}

TEST(Server, negotiates_the_format) {
  const auto server = serve(on_free_port());
  const auto at = server.addresses()[0];
  const auto open = ask(at, "GET", "/metrics",
                        {"Accept: application/openmetrics-text;version=1.0.0;q=0.8",
                         "Accept: "
                         "text/plain;version=0.0.4;q=0.5"});
  EXPECT_EQ(open.header("Content-Type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_EQ(open.body, open_page);
  const auto text = ask(at, "GET", "/metrics",
                        {"Accept: application/openmetrics-text;version=1.0.0;q=0.4",
                         "Accept: "
                         "text/plain;version=0.0.4;q=0.5"});
  EXPECT_EQ(text.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(text.body, text_page);
}

TEST(Server, compresses_only_when_asked) {
  const auto server = serve(on_free_port());
  const auto at = server.addresses()[0];
  const auto compressed = ask(at, "GET", "/metrics", {"Accept-Encoding: gzip"});
  EXPECT_EQ(compressed.header("Content-Encoding"), "gzip");
  EXPECT_LT(compressed.body.size(), text_page.size() / 10);
  EXPECT_EQ(tests::inflated(compressed.body), text_page);
  const auto plain = ask(at, "GET", "/metrics", {"Accept-Encoding: gzip;q=0"});
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  EXPECT_EQ(plain.body, text_page);
}

TEST(Server, a_head_is_a_get_without_its_body_and_the_connection_lives_on) {
  const auto server = serve(on_free_port());
  HttpClient client(server.addresses()[0]);
  const auto head = client.ask("HEAD", "/metrics");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), std::to_string(text_page.size()));
  const auto get = client.ask("GET", "/-/healthy");
  EXPECT_EQ(get.status, 200);
  EXPECT_EQ(get.body, "beam_exporter is healthy.\n");
  EXPECT_EQ(client.ask("GET", "/-/ready").status, 200);
}

TEST(Server, unknown_pages_and_wrong_methods_are_told_apart) {
  const auto server = serve(on_free_port());
  const auto at = server.addresses()[0];
  EXPECT_EQ(ask(at, "GET", "/nothing").status, 404);
  EXPECT_EQ(ask(at, "GET", "/metrics/../../etc/passwd").status, 404);
  const auto refused = ask(at, "DELETE", "/metrics");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD");
}

TEST(Server, what_is_no_http_is_a_bad_request) {
  const auto server = serve(on_free_port());
  HttpClient client(server.addresses()[0]);
  client.send("GARBAGE\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 400);
}

TEST(Server, reload_is_a_post_and_tells_why_it_was_refused) {
  auto what = content();
  std::atomic<int> reloads = 0;
  std::atomic<bool> good = true;
  what.reload = [&]() -> os::Status {
    ++reloads;
    if (!good) return os::Error{os::ErrorKind::invalid_argument, "x.yaml:3: unknown key foo"};
    return os::Done{};
  };
  const auto server = serve(on_free_port(), what);
  const auto at = server.addresses()[0];
  EXPECT_EQ(ask(at, "GET", "/-/reload").status, 405);
  EXPECT_EQ(reloads, 0);
  EXPECT_EQ(ask(at, "POST", "/-/reload", {"Content-Length: 0"}).status, 200);
  EXPECT_EQ(ask(at, "PUT", "/-/reload", {"Content-Length: 0"}).status, 200);
  EXPECT_EQ(reloads, 2);
  good = false;
  HttpClient client(at);
  const auto refused = client.ask("POST", "/-/reload", {}, "a body nobody reads");
  EXPECT_EQ(refused.status, 500);
  EXPECT_EQ(refused.body, "failed to reload config: x.yaml:3: unknown key foo\n");
}

TEST(Server, over_its_limit_it_says_so_and_health_still_answers) {
  constexpr int limit = 3;
  auto options = on_free_port();
  options.max_requests = limit;
  std::latch all_in(limit);
  std::latch go_on(1);
  auto what = content();
  what.metrics = [&](metrics::Format) -> os::Result<metrics::Page> {
    all_in.count_down();
    go_on.wait();
    return std::make_shared<const std::string>("done\n");
  };
  const auto server = serve(options, what);
  const auto at = server.addresses()[0];
  std::atomic<int> served = 0;
  {
    std::vector<std::jthread> scrapers;
    for (int i = 0; i < limit; ++i)
      scrapers.emplace_back([&] { served += ask(at, "GET", "/metrics").body == "done\n"; });
    all_in.wait();
    const auto refused = ask(at, "GET", "/metrics");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("concurrent requests reached (3)"));
    EXPECT_EQ(ask(at, "GET", "/-/healthy").status, 200);
    go_on.count_down();
  }
  EXPECT_EQ(served, limit);
}

TEST(Server, forty_scrapers_at_once_all_get_the_whole_page) {
  const auto server = serve(on_free_port());
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> scrapers;
    for (int i = 0; i < 40; ++i) {
      scrapers.emplace_back([&] {
        HttpClient client(server.addresses()[0]);
        for (int round = 0; round < 5; ++round)
          good += client.ask("GET", "/metrics").body == text_page;
      });
    }
  }
  EXPECT_EQ(good, 200);
}

TEST(Server, listens_on_several_addresses) {
  const auto server = serve(listening_on({"127.0.0.1:0", "127.0.0.2:0", ":0"}));
  ASSERT_EQ(server.addresses().size(), 3u);
  EXPECT_THAT(server.addresses()[1], StartsWith("127.0.0.2:"));
  EXPECT_EQ(ask(server.addresses()[0], "GET", "/-/healthy").status, 200);
  EXPECT_EQ(ask(server.addresses()[1], "GET", "/-/healthy").status, 200);
  EXPECT_EQ(ask("127.0.0.3" + port_of(server.addresses()[2]), "GET", "/-/healthy").status, 200);
}

TEST(Server, a_port_in_use_is_one_line_that_names_the_address) {
  const auto first = serve(on_free_port());
  const auto taken = first.addresses()[0];
  for (const auto& wanted : {taken, port_of(taken)}) {
    const auto options = listening_on({"127.0.0.1:0", wanted});
    const auto second = Server::start(options, pages(options, content()));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, os::ErrorKind::system);
    EXPECT_THAT(second.error().text,
                StartsWith("cannot listen on " + wanted + ": Address already in use; "));
    EXPECT_EQ(second.error().text.find('\n'), std::string::npos);
  }
  EXPECT_EQ(ask(taken, "GET", "/-/healthy").status, 200);
}

TEST(Server, an_address_of_another_machine_is_named_too) {
  const auto server = Server::start(listening_on({"203.0.113.1:0"}), Router());
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().text, HasSubstr("203.0.113.1:0: Cannot assign"));
}

TEST(Server, without_an_address_does_not_start) {
  const auto server = Server::start(WebOptions{}, Router());
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().text, "no listen address");
}

TEST(Server, ipv6_is_served_or_refused_with_the_reason) {
  const auto parsed = parse_listen_addresses({"[::1]:0"});
  WebOptions options;
  if (parsed) options.listen_addresses = *parsed;
  const auto server =
      parsed ? Server::start(options, Router()) : os::Result<Server>(parsed.error());
  if (server) {
    EXPECT_THAT(server->addresses().at(0), StartsWith("[::1]:"));
  } else {
    EXPECT_THAT(server.error().text, HasSubstr("[::1]:0"));
  }
}

TEST(Server, an_authenticator_refuses_before_any_page) {
  auto options = on_free_port();
  options.authenticator = [](const Request& request) -> std::optional<Response> {
    if (request.header("Authorization") == "Basic good") return std::nullopt;
    auto refused = text_response(401, "Unauthorized\n");
    refused.headers = {{"WWW-Authenticate", "Basic"}};
    return refused;
  };
  const auto server = serve(options);
  const auto at = server.addresses()[0];
  const auto refused = ask(at, "GET", "/metrics");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("WWW-Authenticate"), "Basic");
  EXPECT_EQ(ask(at, "GET", "/metrics", {"Authorization: Basic good"}).status, 200);
}

TEST(Server, a_page_that_throws_is_a_500_and_the_server_lives) {
  Router router;
  router.add("/throw", {"GET"},
             [](const Request&) -> Response { throw std::runtime_error("surprise"); });
  router.add("/fine", {"GET"}, [](const Request&) { return text_response(200, "fine"); });
  const auto server = Server::start(on_free_port(), std::move(router));
  ASSERT_TRUE(server);
  EXPECT_EQ(ask(server->addresses()[0], "GET", "/throw").status, 500);
  EXPECT_EQ(ask(server->addresses()[0], "GET", "/fine").status, 200);
}

double seconds_to_stop(std::optional<Server>& server) {
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Server, stops_soon_with_an_idle_connection) {
  std::optional<Server> server = serve(on_free_port());
  HttpClient client(server->addresses()[0]);
  ASSERT_EQ(client.ask("GET", "/-/healthy").status, 200);
  const auto at = server->addresses()[0];
  EXPECT_LT(seconds_to_stop(server), 2);
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_FALSE(HttpClient(at).connected());
}

TEST(Server, stops_at_once_when_nobody_is_there_and_its_port_is_free_again) {
  std::optional<Server> server = serve(on_free_port());
  const auto addresses = server->addresses();
  EXPECT_LT(seconds_to_stop(server), 1);
  server = serve(listening_on(addresses));
  EXPECT_EQ(server->addresses(), addresses);
}

}  // namespace
}  // namespace beam_exporter::web
