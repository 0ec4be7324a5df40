#pragma once

#include <string>

#include "commands/tools/top/view.h"

namespace beam_exporter::commands {

// What `top` shows as one JSON object on one line, without its end. Pure.
std::string top_json(const profile::Profile& profile, const TopChoice& choice,
                     std::size_t most_rows);

}  // namespace beam_exporter::commands
