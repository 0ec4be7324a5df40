#pragma once

#include <functional>
#include <string>

#include "os/result.h"
#include "totals/latest_snapshot.h"
#include "web/metrics_page.h"
#include "web/router.h"
#include "web/web_options.h"

namespace beam_exporter::web {

// What the pages show and do. Each function is called from several threads at once, but `reload`
// from one at a time.
struct Content {
  std::string version;
  RenderMetrics metrics;
  totals::LatestSnapshot* latest = nullptr;  // where scrapes are noted
  std::function<std::string()> target;       // one line for the landing page; see target_line
  std::function<os::Status()> reload;        // empty: there is no /-/reload
};

// The pages every exporter has: the telemetry path, /-/healthy, /-/ready, /-/reload and the landing
// page at /. Ready means serving: the sidecar starts before its VM.
Router pages(const WebOptions& options, Content content);

// "OTP 25 (erts 13.1.5, jit), pid 42", or why there is none.
std::string target_line(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::web
