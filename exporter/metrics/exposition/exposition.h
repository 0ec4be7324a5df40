#pragma once

#include <prometheus/collectable.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "metrics/families/families.h"
#include "os/result.h"
#include "totals/latest_snapshot.h"

namespace beam_exporter::metrics {

enum class Format { text_0_0_4, open_metrics_1_0_0 };

// One whole page. The pointer stays the same as long as the same page is served.
using Page = std::shared_ptr<const std::string>;

struct ExpositionOptions {
  // false: without the families about the exporter itself (about_exporter in catalogue.h).
  bool exporter_metrics = true;
  // The exporter's own figures (process_*) change without a new snapshot. A page is never older
  // than this.
  std::chrono::steady_clock::duration max_age = std::chrono::seconds(1);
};

// The answer to a scrape. A page is rendered once for each snapshot and format and then only
// copied, so forty scrapers cost as much as one. Any thread. A scrape may wait while another scrape
// renders; it never waits for the sampling thread.
class Exposition {
 public:
  using Collectors = std::vector<std::shared_ptr<const prometheus::Collectable>>;
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `latest` must outlive it.
  Exposition(const totals::LatestSnapshot& latest, Collectors collectors,
             ExpositionOptions options = {}, Clock clock = std::chrono::steady_clock::now);

  // Errors: malformed, when the collectors made a family that the catalogue does not have.
  os::Result<Page> render(Format format) const;

 private:
  struct Slot {
    std::mutex mutex;
    std::weak_ptr<const totals::Snapshot> snapshot;
    std::chrono::steady_clock::time_point rendered;
    Page page;
  };

  os::Result<std::string> write(Format format) const;

  const totals::LatestSnapshot& latest_;
  Collectors collectors_;
  ExpositionOptions options_;
  Clock clock_;
  mutable std::array<Slot, 2> slots_;  // by Format
};

// The exposition that the exporter serves: the latest snapshot and the exporter itself.
std::unique_ptr<Exposition> exposition_of(const totals::LatestSnapshot& latest,
                                          const BuildInfo& build, ExpositionOptions options = {});

}  // namespace beam_exporter::metrics
