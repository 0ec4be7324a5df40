#include "unit/web/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdlib>

namespace beam_exporter::web {

std::string HttpAnswer::header(const std::string& name) const {
  for (const auto& [key, value] : headers)
    if (strcasecmp(key.c_str(), name.c_str()) == 0) return value;
  return "";
}

HttpClient::HttpClient(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  os::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{20, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) fd_ = std::move(fd);
}

void HttpClient::send(const std::string& bytes) {
  (void)::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool HttpClient::fill() {
  char chunk[65536];
  const auto size = recv(fd_.get(), chunk, sizeof chunk, 0);
  if (size <= 0) return false;
  buffer_.append(chunk, static_cast<std::size_t>(size));
  return true;
}

HttpAnswer HttpClient::ask(const std::string& method, const std::string& path,
                           const std::vector<std::string>& headers, const std::string& body) {
  std::string question = method + " " + path + " HTTP/1.1\r\nHost: test\r\n";
  for (const auto& header : headers) question += header + "\r\n";
  if (!body.empty()) question += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(question + "\r\n" + body);
  return read_answer(method == "HEAD");
}

HttpAnswer HttpClient::read_answer(bool head) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return {};

  HttpAnswer answer;
  answer.status = std::atoi(buffer_.c_str() + buffer_.find(' '));
  for (auto line = buffer_.find("\r\n") + 2; line < end;) {
    const auto next = buffer_.find("\r\n", line);
    const auto colon = buffer_.find(':', line);
    auto value = buffer_.substr(colon + 1, next - colon - 1);
    value.erase(0, value.find_first_not_of(' '));
    answer.headers.emplace_back(buffer_.substr(line, colon - line), value);
    line = next + 2;
  }
  buffer_.erase(0, end + 4);
  if (head) return answer;
  const auto size = static_cast<std::size_t>(std::atol(answer.header("Content-Length").c_str()));
  while (buffer_.size() < size)
    if (!fill()) return {};
  answer.body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return answer;
}

bool HttpClient::closed_by_server() {
  char byte;
  return recv(fd_.get(), &byte, 1, 0) == 0;
}

HttpAnswer ask(const std::string& address, const std::string& method, const std::string& path,
               const std::vector<std::string>& headers) {
  HttpClient client(address);
  return client.connected() ? client.ask(method, path, headers) : HttpAnswer{};
}

}  // namespace beam_exporter::web
