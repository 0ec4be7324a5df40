#pragma once

#include <span>
#include <string_view>

namespace beam_exporter::beam {

struct EmbeddedLayout {
  std::string_view name;  // "otp-25-jit"
  std::string_view text;  // the whole file
};

// The files of config/layouts, sorted by name, for LayoutLibrary; defined in a source that
// exporter/beam/layout/embed_layouts.cmake writes into the build folder.
std::span<const EmbeddedLayout> embedded_layouts();

}  // namespace beam_exporter::beam
