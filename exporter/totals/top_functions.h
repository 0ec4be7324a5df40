#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "totals/labels.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// Sticky top-K: at most `limit` functions have a series of their own, the rest of the time is in
// `other`. Every number only grows: a function that gets a series starts at 0 (what it used before
// stays in `other`), one that loses it keeps its value aside and goes on from there if it comes
// back. A newcomer must have used half as much again as the weakest holder, so that two near-equals
// do not take turns. Once somebody scrapes, a series that is new or has come back first shows what
// it began with; what comes meanwhile waits, and is added when every scraper has seen that.
// Remembers a bounded number of functions. One thread.
class TopFunctions {
 public:
  explicit TopFunctions(std::size_t limit) : limit_(limit) {}

  void add(const FunctionKey& key, double seconds);

  // Decides who holds a series, by what each used lately; call every `rebalance_period` or so.
  void rebalance();

  // Snapshot `number` is about to be made, and all up to `seen` have been seen by every scraper
  // (Scrapers::seen_by_all).
  void show(std::uint64_t number, std::uint64_t seen);

  // May shrink or grow while running; takes effect at the next rebalance().
  void set_limit(std::size_t limit) { limit_ = limit; }

  // The holders by descending total, then `other` (always there).
  std::vector<FunctionTime> times() const;

 private:
  struct Entry {
    double recent = 0;   // seconds, halved at each rebalance
    double exposed = 0;  // what its series says, or said when it last had one
    double waiting = 0;  // comes to it once that has been seen
    bool holds_series = false;
    bool seen = false;           // nothing has to wait
    std::uint64_t shown_in = 0;  // the first snapshot with its series; 0: none yet
  };
  void give_series(Entry& entry);
  void take_series(Entry& entry);

  std::size_t limit_;
  std::size_t holders_ = 0;
  double other_ = 0;
  bool showing_ = false;  // show() is called: what comes to a new series waits for it
  std::unordered_map<FunctionKey, Entry, FunctionKeyHash> entries_;
};

}  // namespace beam_exporter::totals
