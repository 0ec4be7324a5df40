#pragma once

#include <functional>
#include <memory>
#include <string>

#include "os/result.h"
#include "web/router.h"

namespace beam_exporter::web {

// Looks at the memory of the VM and judges it, and blocks meanwhile; the result is JSON.
// collectors::AskedLook::ask in the exporter. Several threads call it at once.
using LookAtMemory = std::function<os::Result<std::shared_ptr<const std::string>>()>;

// Adds /api/v1/memory. It answers 429 to too many callers at once, 503 when no VM is watched.
void add_memory_page(Router& router, const LookAtMemory& look);

}  // namespace beam_exporter::web
