#pragma once

#include <chrono>
#include <functional>

#include "os/result.h"
#include "profile/profile.h"
#include "web/router.h"

namespace beam_exporter::web {

// Records a profile of that duration, and blocks meanwhile; profile::Recorder::record in the
// exporter. Several threads call it at once.
using RecordProfile = std::function<os::Result<profile::Profile>(std::chrono::seconds)>;

// Adds /debug/pprof/ (an index), and two pages that sample the VM for `?seconds=N`, 1 to 300:
// /debug/pprof/profile (default 30 s, as Go's net/http/pprof) and /flamegraph (default 10 s), an
// html page or with `&format=svg` the picture alone. They answer 400 to another N or format, 429 to
// too many callers at once, 503 when no VM is sampled.
void add_profile_pages(Router& router, RecordProfile record);

}  // namespace beam_exporter::web
