#pragma once

#include <string>
#include <utility>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::web {

struct HttpAnswer {
  int status = 0;  // 0: no answer
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  std::string header(const std::string& name) const;
};

// The smallest HTTP/1.1 client that keeps its connection; gives up after some seconds.
class HttpClient {
 public:
  explicit HttpClient(const std::string& address);  // "127.0.0.1:80"

  bool connected() const { return static_cast<bool>(fd_); }
  // `headers`: whole lines without their ends.
  HttpAnswer ask(const std::string& method, const std::string& path,
                 const std::vector<std::string>& headers = {}, const std::string& body = "");
  // Only the question; `read_answer` waits for what comes back.
  void send(const std::string& bytes);
  HttpAnswer read_answer(bool head = false);
  // Waits for the server to close; false when it did not.
  bool closed_by_server();

 private:
  bool fill();
  os::UniqueFd fd_;
  std::string buffer_;
};

// One question on a connection of its own.
HttpAnswer ask(const std::string& address, const std::string& method, const std::string& path,
               const std::vector<std::string>& headers = {});

}  // namespace beam_exporter::web
