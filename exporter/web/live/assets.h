#pragma once

#include <span>

#include "text/embedded_file.h"

namespace beam_exporter::web {

// The scripts and styles of the live page. uPlot, which draws the charts, is missing where the
// build could not get it from npm.
std::span<const text::EmbeddedFile> live_assets();

}  // namespace beam_exporter::web
