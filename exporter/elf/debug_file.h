#pragma once

#include <filesystem>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::elf {

// Finds the separate debug file of a stripped binary. Looks where gdb looks (build-id folder, next
// to the binary, .debug/, /usr/lib/debug/<path>), but under `root`: the target's own root,
// "/proc/PID/root", or "/". Links never lead out of `root`. `binary_path` is absolute, as seen
// inside `root`. A file is taken only if it has debug info and its build-id matches (without a
// build-id: the CRC of .gnu_debuglink). The error not_found names every place that was tried.
// Then it looks in the same places under our own root: the kernel tells the path of a file in a
// chroot as we see it, and an image of the exporter may hold debug files of VMs. Called once per
// file.
os::Result<Image> find_debug_file(const Image& binary, const std::filesystem::path& root,
                                  const std::filesystem::path& binary_path);

}  // namespace beam_exporter::elf
