#pragma once

#include <string>

#include "beam/layout/layout.h"
#include "os/result.h"

// A Layout as a YAML file (config/layouts/*.yaml): facts of the release, then per struct its size
// and `member: [offset, width]` in bytes, in the order of StructLayouts.
namespace beam_exporter::beam {

std::string write_layout(const Layout& layout);

// Strict: an unknown or repeated key, a missing required struct or member, an offset outside its
// struct, a width our Field cannot hold are malformed errors with `name` and the line. Sets
// Layout::origin to `name`.
os::Result<Layout> read_layout(const std::string& text, const std::string& name);

}  // namespace beam_exporter::beam
