#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "os/result.h"

namespace beam_exporter::yaml {

// The .yaml files of a folder, by name; none of an empty path. `what` is for the error text, as in
// "layouts folder /x: No such file". Error: invalid_argument. Any thread.
os::Result<std::vector<std::filesystem::path>> files_in(const std::filesystem::path& folder,
                                                        std::string_view what);

}  // namespace beam_exporter::yaml
