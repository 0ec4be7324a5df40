#pragma once

#include <functional>
#include <memory>

#include "os/result.h"
#include "profile/process_profile.h"
#include "web/router.h"

namespace beam_exporter::web {

// Looks at all processes of the VM, and blocks meanwhile; collectors::AskedLook::ask in the
// exporter. Several threads call it at once.
using LookAtProcesses = std::function<os::Result<std::shared_ptr<const profile::ProcessProfile>>()>;

// Adds /debug/pprof/processes and /debug/pprof/heap: pprof, or with ?debug=1 the groups as text.
// They answer 400 to another value of `debug`, 429 to too many callers at once, 503 when no VM is
// watched.
void add_process_pages(Router& router, const LookAtProcesses& look);

}  // namespace beam_exporter::web
