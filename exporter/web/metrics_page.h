#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "metrics/exposition/exposition.h"
#include "os/result.h"
#include "totals/latest_snapshot.h"
#include "web/gzip.h"
#include "web/message.h"

namespace beam_exporter::web {

// Makes the page of a format; metrics::Exposition::render in the exporter. Several threads at once.
using RenderMetrics = std::function<os::Result<metrics::Page>(metrics::Format)>;

// The telemetry path: negotiates format and compression, refuses more than `max_requests` at once
// (0: no limit) with 503. A scrape counts until its last byte is sent. Who has
// been sent what is noted on `latest`, which outlives it. Any thread.
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
