#include "totals/top_functions.h"

#include <algorithm>
#include <utility>

namespace beam_exporter::totals {

namespace {

// At most so many functions are remembered; the time of any further one goes straight to `other`.
constexpr std::size_t most_remembered = 16384;
constexpr double hysteresis = 1.5;
// Less than one sample in a hundred rebalances. Such a function is forgotten unless it ever had a
// series.
constexpr double negligible_seconds = 1e-4;

}  // namespace

void TopFunctions::add(const FunctionKey& key, double seconds) {
  auto known = entries_.find(key);
  if (known == entries_.end()) {
    if (entries_.size() >= most_remembered) {
      other_ += seconds;
      return;
    }
    known = entries_.emplace(key, Entry{}).first;
  }
  Entry& entry = known->second;
  if (!entry.holds_series && holders_ < limit_) {
    give_series(entry);
    ++holders_;
  }
  entry.recent += seconds;
  if (!entry.holds_series)
    other_ += seconds;
  else
    (entry.seen ? entry.exposed : entry.waiting) += seconds;
}

void TopFunctions::give_series(Entry& entry) {
  entry.holds_series = true;
  entry.seen = !showing_;
  entry.shown_in = 0;
}

void TopFunctions::take_series(Entry& entry) {
  entry.holds_series = false;
  other_ += std::exchange(entry.waiting, 0);
}

void TopFunctions::show(std::uint64_t number, std::uint64_t seen) {
  showing_ = true;
  for (auto& [key, entry] : entries_) {
    if (!entry.holds_series || entry.seen) continue;
    if (entry.shown_in == 0) entry.shown_in = number;
    if (seen < entry.shown_in) continue;
    entry.seen = true;
    entry.exposed += std::exchange(entry.waiting, 0);
  }
}

void TopFunctions::rebalance() {
  std::vector<Entry*> holders, waiting;
  for (auto& [key, entry] : entries_) (entry.holds_series ? holders : waiting).push_back(&entry);
  const auto weaker = [](const Entry* a, const Entry* b) { return a->recent < b->recent; };
  std::ranges::sort(holders, weaker);
  std::ranges::sort(waiting, [&](const Entry* a, const Entry* b) { return weaker(b, a); });

  std::size_t weakest = 0;
  while (holders.size() - weakest > limit_) take_series(*holders[weakest++]);
  holders_ = holders.size() - weakest;
  for (Entry* newcomer : waiting) {
    if (newcomer->recent <= 0) break;
    if (holders_ < limit_) {
      ++holders_;
    } else if (weakest < holders.size() &&
               newcomer->recent > hysteresis * holders[weakest]->recent) {
      take_series(*holders[weakest++]);
    } else {
      break;
    }
    give_series(*newcomer);
  }
  for (auto& [key, entry] : entries_) entry.recent /= 2;
  std::erase_if(entries_, [](const auto& item) {
    const Entry& entry = item.second;
    return !entry.holds_series && entry.exposed == 0 && entry.recent < negligible_seconds;
  });
}

std::vector<FunctionTime> TopFunctions::times() const {
  std::vector<FunctionTime> times;
  for (const auto& [key, entry] : entries_)
    if (entry.holds_series) times.push_back({key.module, key.function, entry.exposed});
  std::ranges::sort(times, [](const FunctionTime& a, const FunctionTime& b) {
    return std::tie(b.seconds, a.module, a.function) < std::tie(a.seconds, b.module, b.function);
  });
  times.push_back({"", "other", other_});
  return times;
}

}  // namespace beam_exporter::totals
