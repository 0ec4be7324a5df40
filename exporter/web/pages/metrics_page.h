#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "metrics/exposition/exposition.h"
#include "os/result.h"
#include "totals/latest_snapshot.h"
#include "web/message.h"
#include "web/pages/gzip_cache.h"

namespace beam_exporter::web {

// Makes the page in a format; in the exporter it is metrics::Exposition::render. Several threads at
// once.
using RenderMetrics = std::function<os::Result<metrics::Page>(metrics::Format)>;

// The telemetry path: negotiates format and compression. Answers 503 to more than `max_requests`
// scrapes at once (0: no limit). A scrape counts until its last byte is sent. Notes in `latest`,
// which must outlive it, which snapshot each scraper has received. Any thread.
class MetricsPage {
 public:
  MetricsPage(RenderMetrics render, int max_requests, totals::LatestSnapshot* latest = nullptr);
  Response operator()(const Request& request);

 private:
  RenderMetrics render_;
  int max_requests_;
  totals::LatestSnapshot* latest_;
  std::shared_ptr<std::atomic<int>> in_flight_ = std::make_shared<std::atomic<int>>(0);
  std::array<GzipCache, 2> compressed_;  // by Format
};

}  // namespace beam_exporter::web
