#include "metrics/exposition/exposition.h"

#include <iterator>
#include <utility>

#include "metrics/exposition/open_metrics_writer.h"
#include "metrics/exposition/text_writer.h"
#include "metrics/families/catalogue.h"
#include "metrics/families/process_metrics.h"
#include "metrics/families/snapshot_collector.h"

namespace beam_exporter::metrics {
namespace {

// Compares owners, because a new snapshot may have the address of one that has ended.
bool same(const std::weak_ptr<const totals::Snapshot>& a,
          const std::shared_ptr<const totals::Snapshot>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

Exposition::Exposition(const totals::LatestSnapshot& latest, Collectors collectors,
                       ExpositionOptions options, Clock clock)
    : latest_(latest),
      collectors_(std::move(collectors)),
      options_(options),
      clock_(std::move(clock)) {}

os::Result<Page> Exposition::render(Format format) const {
  auto& slot = slots_[static_cast<std::size_t>(format)];
  std::lock_guard lock(slot.mutex);
  const auto now = clock_();
  // Read before collecting, so that the page shows this snapshot or a newer one.
  const auto snapshot = latest_.newest();
  if (slot.page && same(slot.snapshot, snapshot) && now - slot.rendered < options_.max_age)
    return slot.page;

  auto text = write(format);
  if (!text) return text.error();
  slot.page = std::make_shared<const std::string>(std::move(*text));
  slot.snapshot = snapshot;
  slot.rendered = now;
  return slot.page;
}

os::Result<std::string> Exposition::write(Format format) const {
  Families all;
  for (const auto& collector : collectors_) {
    auto families = collector->Collect();
    all.insert(all.end(), std::make_move_iterator(families.begin()),
               std::make_move_iterator(families.end()));
  }
  if (!options_.exporter_metrics) {
    std::erase_if(all, [](const auto& family) {
      const auto* spec = find_family(family.name);
      return spec && about_exporter(*spec);
    });
  }
  return format == Format::open_metrics_1_0_0 ? write_open_metrics(all) : write_text(all);
}

std::unique_ptr<Exposition> exposition_of(const totals::LatestSnapshot& latest,
                                          const BuildInfo& build, ExpositionOptions options) {
  Exposition::Collectors collectors = {std::make_shared<const SnapshotCollector>(latest, build)};
  if (options.exporter_metrics) collectors.push_back(std::make_shared<const ProcessCollector>());
  return std::make_unique<Exposition>(latest, std::move(collectors), options);
}

}  // namespace beam_exporter::metrics
