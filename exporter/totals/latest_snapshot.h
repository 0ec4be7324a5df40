#pragma once

#include <memory>
#include <mutex>

#include "totals/scrapers.h"
#include "totals/snapshot.h"

namespace beam_exporter::totals {

// The one pointer between the sampling thread and everybody else. Safe from any thread.
// A mutex, not std::atomic<shared_ptr>: libstdc++ 12's is one too, and TSan cannot see into it.
class LatestSnapshot {
 public:
  void publish(std::shared_ptr<const Snapshot> snapshot) {
    std::lock_guard lock(mutex_);
    newest_.swap(snapshot);
  }
  // Never null: an empty Snapshot (up = false) before the first is published.
  std::shared_ptr<const Snapshot> newest() const {
    std::lock_guard lock(mutex_);
    return newest_;
  }
  // Who has seen what was published.
  Scrapers& scrapers() { return scrapers_; }

 private:
  mutable std::mutex mutex_;
  Scrapers scrapers_;
  std::shared_ptr<const Snapshot> newest_ = std::make_shared<const Snapshot>();
};

}  // namespace beam_exporter::totals
