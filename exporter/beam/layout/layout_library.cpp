#include "beam/layout/layout_library.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "beam/layout/embedded_layouts.h"
#include "beam/layout/layout_file.h"

namespace beam_exporter::beam {

namespace {

namespace fs = std::filesystem;

os::Result<Layout> read_from_disk(const fs::path& path) {
  constexpr std::uintmax_t max_bytes = 1 << 20;
  std::error_code failure;
  const auto size = fs::file_size(path, failure);
  if (failure)
    return os::Error{os::ErrorKind::unreadable, path.string() + ": " + failure.message()};
  if (size > max_bytes)
    return os::Error{os::ErrorKind::invalid_argument, path.string() + ": too large for a layout"};
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return os::Error{os::ErrorKind::unreadable, path.string() + ": cannot be read"};
  auto layout = read_layout(text.str(), path.string());
  if (layout) layout->origin = path.stem().string();
  return layout;
}

os::Result<std::map<std::string, Layout>> read_folder(const fs::path& folder) {
  std::map<std::string, Layout> by_name;
  if (folder.empty()) return by_name;
  std::error_code failure;
  fs::directory_iterator entries(folder, failure);
  for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
    const fs::path& path = entries->path();
    if (path.extension() != ".yaml") continue;
    auto layout = read_from_disk(path);
    if (!layout) return layout.error();
    by_name.emplace(path.stem().string(), std::move(*layout));
  }
  if (failure)
    return os::Error{os::ErrorKind::invalid_argument,
                     "layouts folder " + folder.string() + ": " + failure.message()};
  return by_name;
}

}  // namespace

os::Result<LayoutLibrary> LayoutLibrary::load(const fs::path& folder) {
  auto on_disk = read_folder(folder);
  if (!on_disk) return on_disk.error();
  std::vector<Layout> layouts;
  for (auto& [name, layout] : *on_disk) layouts.push_back(layout);
  for (const auto& built_in : embedded_layouts()) {
    const std::string name(built_in.name);
    if (on_disk->contains(name)) continue;
    auto layout = read_layout(std::string(built_in.text), name);
    if (!layout) return layout.error();
    layouts.push_back(std::move(*layout));
  }
  return LayoutLibrary(std::move(layouts));
}

os::Result<Layout> LayoutLibrary::find(const Release& release) const {
  const Layout* best = nullptr;
  for (const auto& layout : layouts_) {
    if (layout.otp_release != release.otp_release || layout.flavor != release.flavor ||
        layout.arch != release.arch)
      continue;
    if (layout.erts_version == release.erts_version) return layout;
    if (best == nullptr) best = &layout;
  }
  if (best != nullptr) return *best;
  std::string have;
  for (const auto& each : releases()) have += (have.empty() ? "" : ", ") + each;
  return os::Error{os::ErrorKind::unsupported,
                   "no layout for OTP " + release.otp_release + " " + release.flavor + " " +
                       release.arch + " (ERTS " + release.erts_version + "), only for: " + have +
                       "; run `beam_exporter layout` on a build of that release with debug info "
                       "and put the file into the folder of --layouts.directory"};
}

std::vector<std::string> LayoutLibrary::releases() const {
  std::set<std::string> names;
  for (const auto& layout : layouts_)
    names.insert(layout.otp_release + " " + layout.flavor + " " + layout.arch);
  return {names.begin(), names.end()};
}

}  // namespace beam_exporter::beam
