#pragma once

#include <filesystem>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::elf {

// The separate debug file of a stripped binary, looked for as gdb does (build-id folder, next to
// the binary, .debug/, /usr/lib/debug/<path>) but under `root`: the target's own, "/proc/PID/root",
// or "/". Links never lead out of `root`. `binary_path` is absolute and as seen inside `root`. A
// file is taken only if its build-id (or, without one, the CRC of .gnu_debuglink) fits and it has
// debug info. not_found names every place that was tried. Called by the layout code, once per file.
os::Result<Image> find_debug_file(const Image& binary, const std::filesystem::path& root,
                                  const std::filesystem::path& binary_path);

}  // namespace beam_exporter::elf
