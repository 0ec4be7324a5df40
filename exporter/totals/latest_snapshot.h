#pragma once

#include <memory>
#include <mutex>

#include "totals/scrapers.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// The newest snapshot and who has seen it: the only data that the sampling thread shares with the
// threads that serve. Any thread. A mutex, not std::atomic<shared_ptr>: that of libstdc++ 12 has a
// lock too, and TSan cannot see into it.
class LatestSnapshot {
 public:
  void publish(std::shared_ptr<const Snapshot> snapshot) {
    std::lock_guard lock(mutex_);
    newest_.swap(snapshot);
  }
  // Never null: before the first publish() it is an empty Snapshot (up = false).
  std::shared_ptr<const Snapshot> newest() const {
    std::lock_guard lock(mutex_);
    return newest_;
  }
  // Who has seen which snapshot.
  Scrapers& scrapers() { return scrapers_; }

 private:
  mutable std::mutex mutex_;
  Scrapers scrapers_;
  std::shared_ptr<const Snapshot> newest_ = std::make_shared<const Snapshot>();
};

}  // namespace beam_exporter::totals
