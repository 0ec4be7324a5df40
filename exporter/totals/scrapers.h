#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>

namespace beam_exporter::totals {

// Which snapshots have been scraped, and by whom. When a scraper first sees a counter above 0,
// rate() and increase() miss that first value. So a new series stays at its first value until every
// scraper has seen it (TopFunctions). The serving threads write, the sampling thread reads. Any
// thread.
class Scrapers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t all_snapshots = std::numeric_limits<std::uint64_t>::max();
  // The longest interval between scrapes that Prometheus recommends.
  static constexpr auto gone_after = std::chrono::minutes(2);

  // `scraper` has received a page of that snapshot or of a later one.
  void served(const std::string& scraper, std::uint64_t snapshot, Clock::time_point now);
  // A client that is no Prometheus server has received a page. It may ask again, but no series
  // waits for it.
  void served_another() { another_ = true; }

  // The newest snapshot, up to `published`, that every recent scraper has seen. Other clients are
  // assumed to have seen `published`. all_snapshots: nobody has ever asked.
  std::uint64_t seen_by_all(std::uint64_t published, Clock::time_point now);

 private:
  struct Last {
    std::uint64_t snapshot = 0;
    Clock::time_point when;
  };
  void forget_gone(Clock::time_point now);

  std::atomic<bool> another_ = false;
  std::mutex mutex_;
  std::map<std::string, Last> scrapers_;
};

}  // namespace beam_exporter::totals
