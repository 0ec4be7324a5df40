#include "web/pages.h"

#include <memory>
#include <mutex>
#include <utility>

#include "web/landing_page.h"

namespace beam_exporter::web {
namespace {

Page reload_page(std::function<os::Status()> reload) {
  // Two reloads at once have no useful meaning.
  auto mutex = std::make_shared<std::mutex>();
  return [reload = std::move(reload), mutex](const Request&) {
    std::lock_guard lock(*mutex);
    const auto status = reload();
    if (!status)
      return text_response(500, "failed to reload config: " + status.error().text + "\n");
    return text_response(200, "Reloaded.\n");
  };
}

Page landing_page(const WebOptions& options, const Content& content) {
  return [path = options.telemetry_path, version = content.version,
          target = content.target](const Request&) {
    LandingPage page;
    page.name = "beam_exporter";
    page.description = "Prometheus exporter that watches a running Erlang VM from outside";
    page.version = version;
    page.target = target ? target() : "";
    page.links = {{path, "Metrics"}, {"/-/healthy", "Health"}, {"/-/ready", "Readiness"}};
    auto response = text_response(200, landing_page_html(page));
    response.content_type = "text/html; charset=utf-8";
    return response;
  };
}

}  // namespace

Router pages(const WebOptions& options, Content content) {
  Router router;
  auto metrics =
      std::make_shared<MetricsPage>(content.metrics, options.max_requests, content.latest);
  router.add(options.telemetry_path, {"GET"},
             [metrics](const Request& request) { return (*metrics)(request); });
  router.add("/-/healthy", {"GET"},
             [](const Request&) { return text_response(200, "beam_exporter is healthy.\n"); });
  router.add("/-/ready", {"GET"},
             [](const Request&) { return text_response(200, "beam_exporter is ready.\n"); });
  router.add("/", {"GET"}, landing_page(options, content));
  if (content.reload) router.add("/-/reload", {"POST", "PUT"}, reload_page(content.reload));
  return router;
}

std::string target_line(const totals::Snapshot& snapshot) {
  if (!snapshot.up || !snapshot.vm)
    return "none" + (snapshot.down_reason.empty() ? "" : ": " + snapshot.down_reason);
  const auto& vm = *snapshot.vm;
  std::string line = "OTP " + vm.otp_release + " (erts " + vm.erts_version + ", " + vm.flavor + ")";
  if (snapshot.process) line += ", pid " + std::to_string(snapshot.process->pid);
  return line;
}

}  // namespace beam_exporter::web
