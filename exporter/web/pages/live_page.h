#pragma once

#include "totals/latest_snapshot.h"
#include "web/router.h"

namespace beam_exporter::web {

// Adds /api/v1/overview, which says what `latest` (it must outlive the router) shows, and the
// scripts and styles of the live page under /assets/. Who asks here is no scraper: new series do
// not wait for it. Any thread.
void add_live_page(Router& router, const totals::LatestSnapshot& latest);

}  // namespace beam_exporter::web
