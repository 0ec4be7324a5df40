#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "totals/labels.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// Sticky top-K: at most `limit` functions have a series of their own; `other` holds the time of the
// rest. Every number only grows. A function that gets a series starts at 0, and its earlier time
// stays in `other`. A function that loses its series keeps the value and continues from there if it
// gets the series back. To replace the weakest holder, a newcomer must have used more than 1.5
// times as much: so two nearly equal functions do not take turns. Once somebody scrapes, a series
// that is new or back shows its first value until every scraper has seen it; its further time waits
// until then. Remembers a bounded number of functions. One thread.
class TopFunctions {
 public:
  explicit TopFunctions(std::size_t limit) : limit_(limit) {}

  void add(const FunctionKey& key, double seconds);

  // Decides which functions hold a series, by their recent use. Call it about every
  // `rebalance_period`.
  void rebalance();

  // Call before snapshot `number` is made. Every scraper has seen all snapshots up to `seen`
  // (Scrapers::seen_by_all).
  void show(std::uint64_t number, std::uint64_t seen);

  // The limit may change at any time; the next rebalance() applies it.
  void set_limit(std::size_t limit) { limit_ = limit; }

  // The holders by descending total, then `other` (always there).
  std::vector<FunctionTime> times() const;

 private:
  struct Entry {
    double recent = 0;   // seconds, halved at each rebalance
    double exposed = 0;  // the value of its series, now or when it last had one
    double waiting = 0;  // added to `exposed` once every scraper has seen that
    bool holds_series = false;
    bool seen = false;           // every scraper has seen its series: nothing waits
    std::uint64_t shown_in = 0;  // the first snapshot with its series; 0: none yet
  };
  void give_series(Entry& entry);
  void take_series(Entry& entry);

  std::size_t limit_;
  std::size_t holders_ = 0;
  double other_ = 0;
  bool showing_ = false;  // show() was called: the time of a new series waits
  std::unordered_map<FunctionKey, Entry, FunctionKeyHash> entries_;
};

}  // namespace beam_exporter::totals
