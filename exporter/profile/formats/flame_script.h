#pragma once

#include <span>

#include "text/embedded_file.h"

namespace beam_exporter::profile {

// The script in the svg of flame_picture(): flame_*.js, in the order in which they run.
std::span<const text::EmbeddedFile> flame_script();

}  // namespace beam_exporter::profile
