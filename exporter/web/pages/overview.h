#pragma once

#include <string>

#include "totals/snapshot.h"

namespace beam_exporter::web {

// The JSON that /api/v1/overview serves and the live page reads; exporter/web/README.md describes
// each member. What is not known is absent. Names from the VM that are not UTF-8 get U+FFFD. Pure.
std::string overview_json(const totals::Snapshot& snapshot);

}  // namespace beam_exporter::web
