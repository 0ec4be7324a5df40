#include "totals/scrapers.h"

#include <algorithm>

namespace beam_exporter::totals {

namespace {

constexpr std::size_t most_scrapers = 64;

}  // namespace

void Scrapers::served(const std::string& scraper, std::uint64_t snapshot, Clock::time_point now) {
  std::lock_guard lock(mutex_);
  forget_gone(now);
  if (scrapers_.size() >= most_scrapers && !scrapers_.contains(scraper)) return;
  auto& last = scrapers_[scraper];
  last = {std::max(last.snapshot, snapshot), now};
}

std::uint64_t Scrapers::seen_by_all(std::uint64_t published, Clock::time_point now) {
  std::lock_guard lock(mutex_);
  forget_gone(now);
  std::uint64_t seen = another_ || !scrapers_.empty() ? published : all_snapshots;
  for (const auto& [scraper, last] : scrapers_) seen = std::min(seen, last.snapshot);
  return seen;
}

void Scrapers::forget_gone(Clock::time_point now) {
  std::erase_if(scrapers_, [&](const auto& each) { return now - each.second.when > gone_after; });
}

}  // namespace beam_exporter::totals
