#pragma once

#include <span>

#include "text/embedded_file.h"

namespace beam_exporter::beam {

// The files of config/layouts, sorted by name, for LayoutLibrary: "otp-25-jit.yaml".
std::span<const text::EmbeddedFile> embedded_layouts();

}  // namespace beam_exporter::beam
