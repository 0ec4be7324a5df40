#include "web/pages/pages.h"

#include <memory>
#include <mutex>
#include <utility>

#include "beam/layout/release.h"
#include "web/live/assets.h"
#include "web/pages/landing_page.h"
#include "web/pages/live_page.h"

namespace beam_exporter::web {
namespace {

Page reload_page(std::function<os::Status()> reload) {
  // One reload at a time.
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
  return [path = options.telemetry_path, version = content.version, target = content.target,
          records = static_cast<bool>(content.record),
          live = content.latest != nullptr](const Request&) {
    LandingPage page;
    page.name = "beam_exporter";
    page.description = "Prometheus exporter that watches a running Erlang VM from outside";
    page.version = version;
    page.target = target ? target() : "";
    page.links = {{path, "Metrics"}, {"/-/healthy", "Health"}, {"/-/ready", "Readiness"}};
    if (live) page.links.push_back({"/api/v1/overview", "JSON"});
    if (records)
      page.links.insert(page.links.begin() + 1, {{"/flamegraph?seconds=5", "Flame graph of 5 s"},
                                                 {"/debug/pprof/", "pprof profiles"}});
    if (live) {
      // Relative: a proxy may serve the exporter below a path of its own.
      for (const auto& asset : live_assets()) {
        const auto at = "assets/" + std::string(asset.name);
        if (at.ends_with(".css")) page.styles.push_back(at);
        if (at.ends_with(".min.js")) page.scripts.push_back(at);
      }
      page.module = "assets/live.js";
    }
    auto response = text_response(200, landing_page_html(page));
    response.content_type = "text/html; charset=utf-8";
    // Names come from another process: only the exporter's own scripts may run.
    response.headers = {{"Content-Security-Policy",
                         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src "
                         "'self'; img-src data:; "
                         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Referrer-Policy", "no-referrer"}};
    return response;
  };
}

}  // namespace

Router pages(const WebOptions& options, const Content& content) {
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
  if (content.latest != nullptr) add_live_page(router, *content.latest);
  if (content.record) add_profile_pages(router, content.record);
  if (content.processes) add_process_pages(router, content.processes);
  if (content.memory) add_memory_page(router, content.memory);
  if (content.reload) router.add("/-/reload", {"POST", "PUT"}, reload_page(content.reload));
  return router;
}

std::string target_line(const totals::Snapshot& snapshot) {
  if (!snapshot.up || !snapshot.vm)
    return "none" + (snapshot.down_reason.empty() ? "" : ": " + snapshot.down_reason);
  const auto& vm = *snapshot.vm;
  std::string line = beam::build_text(vm.otp_release, vm.erts_version, vm.flavor);
  if (snapshot.process) line += ", pid " + std::to_string(snapshot.process->pid);
  return line;
}

}  // namespace beam_exporter::web
