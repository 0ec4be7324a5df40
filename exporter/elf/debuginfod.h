#pragma once

#include <functional>
#include <string>

#include "os/result.h"

// Downloads debug files from debuginfod servers, by libdebuginfod of elfutils, which keeps them in
// its cache (debuginfod-client-config(7)). That library brings thirty others: it is loaded when
// servers are configured, not linked.
namespace beam_exporter::elf::debuginfod {

// From now on these servers are asked: URLs with blanks between. The library knows no other way
// than an environment variable: call it before there is a second thread.
void use_servers(const std::string& urls);

// Error: not_found, when this machine has no libdebuginfod. Any thread.
os::Status usable();

// Blocks; `go_on` is asked at least once a second, and gives up by false. Returns the path of the
// file in the cache. Errors: that of usable(); not_found (no server has it); system (no server
// answers, no place on disk, given up ...). Any thread.
os::Result<std::string> fetch(const std::string& build_id, const std::function<bool()>& go_on);

}  // namespace beam_exporter::elf::debuginfod
