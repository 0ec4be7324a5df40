#pragma once

#include <string>

#include "metrics/families/family_builder.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

// Which exporter this is; known when it was built.
struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string revision;  // of the source; "unknown" when built outside a repository
  std::string compiler;  // "gcc 12.2.0"
};

// The exporter's own account of its work: beam_exporter_*. Pure.
Families exporter_metrics(const totals::Snapshot& snapshot, const BuildInfo& build);

}  // namespace beam_exporter::metrics
