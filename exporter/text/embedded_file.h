#pragma once

#include <string_view>

namespace beam_exporter::text {

// A file of the source tree that the build makes a part of the program: embed_files() in
// exporter/CMakeLists.txt.
struct EmbeddedFile {
  std::string_view name;  // without its folder, lower case
  std::string_view text;  // the whole file
};

}  // namespace beam_exporter::text
