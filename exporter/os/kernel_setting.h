#pragma once

#include <optional>

namespace beam_exporter::os {

// The number that a file of /proc/sys holds now; nullopt: this kernel has no such setting. Any
// thread.
std::optional<int> kernel_setting(const char* path);

}  // namespace beam_exporter::os
