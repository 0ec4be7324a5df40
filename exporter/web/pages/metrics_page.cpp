#include "web/pages/metrics_page.h"

#include <cstddef>
#include <string>
#include <utility>

#include "web/pages/negotiation.h"

namespace beam_exporter::web {

namespace {

// Every client that speaks Prometheus' protocol sends this header; people and their tools do not.
bool is_scraper(const Request& request) {
  return !request.header("X-Prometheus-Scrape-Timeout-Seconds").empty();
}

}  // namespace

MetricsPage::MetricsPage(RenderMetrics render, int max_requests, totals::LatestSnapshot* latest)
    : render_(std::move(render)), max_requests_(max_requests), latest_(latest) {}

Response MetricsPage::operator()(const Request& request) {
  const int before = in_flight_->fetch_add(1);
  std::shared_ptr<const void> place(nullptr,
                                    [count = in_flight_](const void*) { count->fetch_sub(1); });
  if (max_requests_ > 0 && before >= max_requests_) {
    return text_response(503, "Limit of concurrent requests reached (" +
                                  std::to_string(max_requests_) + "), try again later.\n");
  }

  const auto wanted = negotiate_format(request.header("Accept"));
  // Read before rendering, so that the page shows this snapshot or a newer one.
  const auto number = latest_ != nullptr ? latest_->newest()->number : 0;
  const auto page = render_(wanted.format);
  if (!page) return text_response(500, "cannot render the metrics: " + page.error().text + "\n");
  if (latest_ != nullptr) {
    auto& scrapers = latest_->scrapers();
    if (is_scraper(request))
      scrapers.served(request.remote_address, number, totals::Scrapers::Clock::now());
    else
      scrapers.served_another();
  }

  Response response;
  response.content_type = wanted.content_type;
  response.headers = {{"Vary", "Accept, Accept-Encoding"}};
  response.held = std::move(place);
  compressed_[static_cast<std::size_t>(wanted.format)].answer(request, *page, response);
  return response;
}

}  // namespace beam_exporter::web
