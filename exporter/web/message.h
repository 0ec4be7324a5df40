#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// One HTTP request and its answer as plain data, so that the pages do not depend on the HTTP
// library.
namespace beam_exporter::web {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method;  // upper case
  std::string path;    // decoded, without dot segments
  std::string query;   // raw, without '?'
  std::string remote_address;
  std::vector<Header> headers;

  // All headers of that name joined to one list; HTTP gives several headers that meaning.
  std::string header(std::string_view name) const {
    std::string joined;
    for (const auto& one : headers) {
      const bool same = std::equal(one.name.begin(), one.name.end(), name.begin(), name.end(),
                                   [](char a, char b) {
                                     return std::tolower(static_cast<unsigned char>(a)) ==
                                            std::tolower(static_cast<unsigned char>(b));
                                   });
      if (same) joined += (joined.empty() ? "" : ", ") + one.value;
    }
    return joined;
  }
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<Header> headers;
  std::shared_ptr<const std::string> body;  // shared, as many scrapers get one page; null: empty
  std::shared_ptr<const void> held;         // released when the answer has been sent
};

inline Response text_response(int status, std::string text) {
  Response response;
  response.status = status;
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

}  // namespace beam_exporter::web
