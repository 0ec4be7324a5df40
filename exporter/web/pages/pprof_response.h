#pragma once

#include <string>

#include "os/result.h"
#include "web/message.h"

// Answers that the pages with profiles, and others that look at the VM when asked, have in common.
namespace beam_exporter::web {

// A profile in pprof's format, which it compresses, for a reader or for a file of that name.
Response pprof_response(const std::string& bytes, const std::string& file);

// 429 when too many ask (system), 503 otherwise.
Response look_refusal(const os::Error& error);

}  // namespace beam_exporter::web
