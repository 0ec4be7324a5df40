#include "web/server/server.h"

#include <civetweb.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "web/listen_address.h"
#include "web/server/accept_waker.h"
#include "web/server/http_date.h"
#include "web/server/thread_room.h"

namespace beam_exporter::web {
namespace {

// The address in civetweb's own form: "+80" is every address of both families, "80" every IPv4 one.
std::string civetweb_spec(const ListenAddress& address, bool tls) {
  std::string spec;
  if (!address.host.empty()) {
    spec = host_and_port(address.host, address.ipv6, address.port);
  } else {
    spec = (ipv6_available() ? "+" : "") + std::to_string(address.port);
  }
  return spec + (tls ? "s" : "");
}

std::string bound_address(const ListenAddress& address, std::uint16_t port) {
  if (!address.host.empty()) return host_and_port(address.host, address.ipv6, port);
  return ipv6_available() ? host_and_port("::", true, port) : host_and_port("0.0.0.0", false, port);
}

// More threads than scrapes are allowed at once, so that a thread is left for a 503 and for the
// health page. An idle thread costs about 20 KiB.
int worker_threads(int max_requests) {
  constexpr int spare = 8;
  return max_requests == 0 ? 64 : std::clamp(max_requests + spare, 16, 256);
}

// Threads besides the workers: civetweb's master, AcceptWaker, and the two that look at the VM.
constexpr int other_threads = 4;

// civetweb 1.15 starts its master after the workers and continues when that fails; then nobody
// accepts connections. So this returns only as many workers as leave room for the other threads. 0:
// there is no room at all.
int workers_there_is_room_for(int wanted) {
  const int room =
      static_cast<int>(startable_threads(static_cast<std::size_t>(wanted) + other_threads));
  return room < 2 ? 0 : std::max(room - other_threads, 1);
}

Request request_of(const mg_request_info& info) {
  const auto text = [](const char* value) { return std::string(value ? value : ""); };
  Request request;
  request.method = text(info.request_method);
  request.path = text(info.local_uri ? info.local_uri : info.request_uri);
  request.query = text(info.query_string);
  request.remote_address = info.remote_addr;
  for (int i = 0; i < info.num_headers; ++i)
    request.headers.push_back({text(info.http_headers[i].name), text(info.http_headers[i].value)});
  return request;
}

void send(mg_connection* connection, const Request& request, const Response& response) {
  const std::size_t size = response.body ? response.body->size() : 0;
  mg_response_header_start(connection, response.status);
  const auto add = [&](const char* name, const std::string& value) {
    mg_response_header_add(connection, name, value.c_str(), static_cast<int>(value.size()));
  };
  // Our own Date header: civetweb 1.15 uses gmtime(), whose one buffer its worker threads share.
  add("Date", http_date(std::time(nullptr)));
  add("Content-Type", response.content_type);
  add("Content-Length", std::to_string(size));
  add("X-Content-Type-Options", "nosniff");
  for (const auto& header : response.headers) add(header.name.c_str(), header.value);
  mg_response_header_send(connection);
  if (size > 0 && request.method != "HEAD") mg_write(connection, response.body->data(), size);
}

}  // namespace

class Server::Running {
 public:
  Running(const WebOptions& options, Router router)
      : authenticator_(options.authenticator),
        on_complaint_(options.on_complaint),
        router_(std::move(router)) {}
  ~Running() { stop(); }

  os::Status start(const WebOptions& options);
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  static int on_request(mg_connection* connection);
  static int on_message(const mg_connection* connection, const char* message);

  Response answer(const Request& request) const;
  os::Error start_error(const std::vector<ListenAddress>& addresses,
                        const std::vector<std::string>& specs);
  void stop();

  Authenticator authenticator_;
  std::function<void(const std::string&)> on_complaint_;
  Router router_;
  mg_context* context_ = nullptr;
  std::vector<std::string> addresses_;
  std::optional<ListenAddress> nudge_at_;

  std::mutex mutex_;
  bool started_ = false;
  std::vector<std::string> complaints_;  // those before the server has started
};

// civetweb is C: no exception may leave these two functions.
int Server::Running::on_request(mg_connection* connection) try {
  auto& self = *static_cast<Running*>(mg_get_user_data(mg_get_context(connection)));
  const auto request = request_of(*mg_get_request_info(connection));
  Response response;
  try {
    response = self.answer(request);
  } catch (const std::exception& error) {
    response = text_response(500, std::string("internal error: ") + error.what() + "\n");
  }
  send(connection, request, response);
  return response.status;
} catch (...) {
  return 500;  // no memory even for an answer: civetweb closes the connection without one
}

int Server::Running::on_message(const mg_connection* connection, const char* message) try {
  auto* self = static_cast<Running*>(mg_get_user_data(mg_get_context(connection)));
  if (self) {
    std::unique_lock lock(self->mutex_);
    if (!self->started_) {
      self->complaints_.push_back(message);
    } else if (self->on_complaint_) {
      lock.unlock();
      self->on_complaint_(message);
    }
  }
  return 1;  // handled: civetweb writes nothing anywhere
} catch (...) {
  return 1;  // the message is lost
}

Response Server::Running::answer(const Request& request) const {
  if (authenticator_) {
    if (auto refused = authenticator_(request)) return *std::move(refused);
  }
  return router_.answer(request);
}

os::Status Server::Running::start(const WebOptions& options) {
  const bool tls = !options.tls_options.empty();
  const auto& addresses = options.listen_addresses;
  if (addresses.empty()) return os::Error{os::ErrorKind::invalid_argument, "no listen address"};
  std::vector<std::string> specs;
  std::string ports;
  for (const auto& address : addresses) {
    specs.push_back(civetweb_spec(address, tls));
    ports += (ports.empty() ? "" : ",") + specs.back();
  }

  // TLS only when it is asked for: loading OpenSSL costs megabytes.
  mg_init_library(tls ? MG_FEATURES_TLS : MG_FEATURES_DEFAULT);
  const int workers = workers_there_is_room_for(worker_threads(options.max_requests));
  if (workers == 0)
    return os::Error{os::ErrorKind::system,
                     "cannot start the web server: no further thread can be started (raise "
                     "pids.max or ulimit -u)"};
  const std::string threads = std::to_string(workers);
  std::vector<const char*> settings = {
      "listening_ports", ports.c_str(), "num_threads", threads.c_str(),
      // An open connection holds a thread, so an idle one is closed soon. A scraper that returns
      // every few seconds connects again.
      "enable_keep_alive", "yes", "keep_alive_timeout_ms", "1000", "request_timeout_ms", "10000",
      "tcp_nodelay", "1"};
  for (const auto& [name, value] : options.tls_options) {
    settings.push_back(name.c_str());
    settings.push_back(value.c_str());
  }
  settings.push_back(nullptr);

  mg_callbacks callbacks{};
  callbacks.begin_request = on_request;
  callbacks.log_message = on_message;
  context_ = mg_start(&callbacks, this, settings.data());
  if (!context_) return start_error(addresses, specs);

  std::vector<mg_server_port> bound(addresses.size());
  const int count = mg_get_server_ports(context_, static_cast<int>(bound.size()), bound.data());
  for (int i = 0; i < count; ++i) {
    const auto port = static_cast<std::uint16_t>(bound[static_cast<std::size_t>(i)].port);
    addresses_.push_back(bound_address(addresses[static_cast<std::size_t>(i)], port));
  }
  nudge_at_ = addresses.front();
  if (nudge_at_->host.empty() || nudge_at_->host == "0.0.0.0") nudge_at_->host = "127.0.0.1";
  nudge_at_->port = static_cast<std::uint16_t>(bound.front().port);
  std::lock_guard lock(mutex_);
  started_ = true;
  return os::Done{};
}

// civetweb writes "cannot bind to SPEC: ERRNO (TEXT)" and then a second message that nothing works.
os::Error Server::Running::start_error(const std::vector<ListenAddress>& addresses,
                                       const std::vector<std::string>& specs) {
  std::lock_guard lock(mutex_);
  for (const std::string_view complaint : complaints_) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::string head = "cannot bind to " + specs[i] + ": ";
      if (!complaint.starts_with(head)) continue;
      auto reason = complaint.substr(head.size());
      const bool forbidden = reason.starts_with(std::to_string(EACCES) + " ");
      if (const auto open = reason.find('('); open != reason.npos && reason.ends_with(")"))
        reason = reason.substr(open + 1, reason.size() - open - 2);
      return {forbidden ? os::ErrorKind::not_permitted : os::ErrorKind::system,
              "cannot listen on " + addresses[i].given + ": " + std::string(reason) +
                  "; choose another --web.listen-address"};
    }
  }
  return {os::ErrorKind::system,
          "cannot start the web server: " +
              (complaints_.empty() ? "no reason given" : complaints_.front())};
}

void Server::Running::stop() {
  if (!context_) return;
  std::optional<AcceptWaker> nudge;
  try {
    nudge.emplace(nudge_at_->host, nudge_at_->ipv6, nudge_at_->port);
  } catch (const std::exception&) {
    // No further thread can be started. civetweb then ends without it, up to two seconds later.
  }
  mg_stop(context_);
  context_ = nullptr;
}

Server::Server(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

const std::vector<std::string>& Server::addresses() const { return running_->addresses(); }

os::Result<Server> Server::start(const WebOptions& options, Router router) {
  auto running = std::make_unique<Running>(options, std::move(router));
  if (const auto status = running->start(options); !status) return status.error();
  return Server(std::move(running));
}

}  // namespace beam_exporter::web
