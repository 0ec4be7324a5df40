#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>

namespace beam_exporter::totals {

// Which snapshots have been scraped, and by whom. A counter that a scraper first sees above 0 has
// lost that part for rate() and increase(): so a new series stays at its first value until every
// scraper has seen it (TopFunctions). Written by the threads that serve, read by the sampling
// thread. Any thread.
class Scrapers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t all_snapshots = std::numeric_limits<std::uint64_t>::max();
  // The longest interval between scrapes that Prometheus recommends.
  static constexpr auto gone_after = std::chrono::minutes(2);

  // `scraper` has been sent a page of that snapshot or of a later one.
  void served(const std::string& scraper, std::uint64_t snapshot, Clock::time_point now);
  // Somebody else has been sent a page: who may ask again, and is not known by then.
  void served_another() { another_ = true; }

  // The newest snapshot, up to `published`, that everybody who scraped lately has seen. Others are
  // taken to have seen what was published. all_snapshots: nobody has ever asked.
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
