#include "yaml/folder.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace beam_exporter::yaml {

namespace fs = std::filesystem;

os::Result<std::vector<fs::path>> files_in(const fs::path& folder, std::string_view what) {
  std::vector<fs::path> files;
  if (folder.empty()) return files;
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  for (; !failure && entries != fs::directory_iterator(); entries.increment(failure))
    if (entries->path().extension() == ".yaml") files.push_back(entries->path());
  if (failure)
    return os::Error{os::ErrorKind::invalid_argument,
                     std::string(what) + " " + folder.string() + ": " + failure.message()};
  std::ranges::sort(files);
  return files;
}

}  // namespace beam_exporter::yaml
