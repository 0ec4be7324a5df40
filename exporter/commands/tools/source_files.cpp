#include "commands/tools/source_files.h"

#include <filesystem>
#include <iterator>

namespace beam_exporter::commands {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 1'000'000;

// How many parts are equal, from the last on.
std::size_t equal_parts(const fs::path& a, const fs::path& b) {
  const std::vector<fs::path> left(a.begin(), a.end()), right(b.begin(), b.end());
  std::size_t equal = 0;
  while (equal < left.size() && equal < right.size() &&
         left[left.size() - 1 - equal] == right[right.size() - 1 - equal])
    ++equal;
  return equal;
}

}  // namespace

os::Result<SourceFiles> SourceFiles::beneath(const std::string& folder) {
  std::error_code error;
  fs::recursive_directory_iterator files(folder, fs::directory_options::skip_permission_denied,
                                         error);
  if (error) return os::Error{os::ErrorKind::not_found, folder + ": " + error.message()};
  SourceFiles found;
  for (; files != fs::recursive_directory_iterator() && found.paths_.size() < most_files;
       files.increment(error)) {
    if (error) break;
    if (files->is_regular_file(error))
      found.paths_.emplace(files->path().filename().string(), files->path().string());
  }
  return found;
}

std::optional<std::string> SourceFiles::find(const std::string& name) const {
  const fs::path wanted(name);
  std::optional<std::string> best;
  std::size_t most = 0;
  const auto [first, last] = paths_.equal_range(wanted.filename().string());
  for (auto candidate = first; candidate != last; ++candidate) {
    const auto equal = equal_parts(wanted, candidate->second);
    if (equal < most) continue;
    best = equal == most ? std::nullopt : std::optional(candidate->second);
    most = equal;
  }
  return best;
}

}  // namespace beam_exporter::commands
