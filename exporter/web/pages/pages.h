#pragma once

#include <functional>
#include <string>

#include "os/result.h"
#include "totals/latest_snapshot.h"
#include "web/pages/memory_page.h"
#include "web/pages/metrics_page.h"
#include "web/pages/process_pages.h"
#include "web/pages/profile_pages.h"
#include "web/router.h"
#include "web/web_options.h"

namespace beam_exporter::web {

// The content and the actions of the pages. Several threads call each function at once; only
// `reload` is called by one thread at a time.
struct Content {
  std::string version;
  RenderMetrics metrics;
  totals::LatestSnapshot* latest = nullptr;  // it notes the scrapes
  std::function<std::string()> target;       // one line for the landing page; see target_line
  std::function<os::Status()> reload;        // empty: there is no /-/reload
  RecordProfile record;                      // empty: there are no profiles
  LookAtProcesses processes;                 // empty: nor these
  LookAtMemory memory;                       // empty: there is no verdict on the memory
};

// The pages of every exporter: the telemetry path, /-/healthy, /-/ready, /-/reload and the landing
// page at /. "Ready" means that the server answers, with or without a VM: a sidecar starts before
// its VM.
Router pages(const WebOptions& options, const Content& content);

// "OTP 25 (erts 13.1.5, jit), pid 42", or the reason why there is no VM.
std::string target_line(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::web
