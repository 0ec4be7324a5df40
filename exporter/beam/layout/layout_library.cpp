#include "beam/layout/layout_library.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string_view>
#include <system_error>

#include "beam/layout/embedded_layouts.h"
#include "beam/layout/layout_file.h"
#include "yaml/folder.h"

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
  const auto paths = yaml::files_in(folder, "layouts folder");
  if (!paths) return paths.error();
  for (const fs::path& path : *paths) {
    auto layout = read_from_disk(path);
    if (!layout) return layout.error();
    by_name.emplace(path.stem().string(), std::move(*layout));
  }
  return by_name;
}

// "29": 29; also "29-rc1". Far from all others when it is no number.
int number_of(const std::string& otp_release) {
  int number = -1000;
  std::from_chars(otp_release.data(), otp_release.data() + otp_release.size(), number);
  return number;
}

// "12.3.2.2" as numbers, which compare as versions do; the numbers before whatever is no number.
std::vector<unsigned> version_of(std::string_view text) {
  std::vector<unsigned> version;
  for (unsigned number = 0; !text.empty();) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc()) break;
    version.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return version;
}

// " lcnt": an emulator that counts locks has larger structs than the one of every day.
std::string build_words(const std::string& build) { return build == "opt" ? "" : " " + build; }

// A struct that has changed stays so in later versions: the newest layout that is not newer than
// the VM is the best, else the oldest.
bool is_nearer(const Layout& layout, const Layout& than, const std::string& erts_version) {
  const auto vm = version_of(erts_version), one = version_of(layout.erts_version),
             other = version_of(than.erts_version);
  if ((one <= vm) != (other <= vm)) return one <= vm;
  return one <= vm ? one > other : one < other;
}

const Layout* nearest_of(std::span<const Layout> layouts, const Release& release) {
  const Layout* best = nullptr;
  for (const auto& layout : layouts)
    if (layout.otp_release == release.otp_release && layout.flavor == release.flavor &&
        layout.arch == release.arch && layout.build == release.build &&
        (best == nullptr || is_nearer(layout, *best, release.erts_version)))
      best = &layout;
  return best;
}

}  // namespace

os::Result<LayoutLibrary> LayoutLibrary::load(const fs::path& folder, elf::SymbolSearch symbols) {
  auto on_disk = read_folder(folder);
  if (!on_disk) return on_disk.error();
  std::vector<Layout> layouts;
  for (auto& [name, layout] : *on_disk) layouts.push_back(layout);
  const std::size_t from_disk = layouts.size();
  for (const auto& built_in : embedded_layouts()) {
    const std::string name = fs::path(built_in.name).stem();
    if (on_disk->contains(name)) continue;
    auto layout = read_layout(std::string(built_in.text), name);
    if (!layout) return layout.error();
    layouts.push_back(std::move(*layout));
  }
  return LayoutLibrary(std::move(layouts), from_disk, std::move(symbols));
}

const Layout* LayoutLibrary::nearest(const Release& release) const {
  const std::span all(layouts_);
  const Layout* on_disk = nearest_of(all.first(from_disk_), release);
  const Layout* built_in = nearest_of(all.subspan(from_disk_), release);
  const auto is_exact = [&](const Layout* layout) {
    return layout != nullptr && layout->erts_version == release.erts_version;
  };
  return on_disk == nullptr || (is_exact(built_in) && !is_exact(on_disk)) ? built_in : on_disk;
}

os::Result<Layout> LayoutLibrary::find(const Release& release) const {
  if (const auto* layout = nearest(release)) return *layout;
  std::string have;
  for (const auto& each : releases()) have += (have.empty() ? "" : ", ") + each;
  return os::Error{os::ErrorKind::unsupported,
                   "no layout for OTP " + release.otp_release + " " + release.flavor + " " +
                       release.arch + build_words(release.build) + " (ERTS " +
                       release.erts_version + "), only for: " + have +
                       "; run `beam_exporter layout` on a build of that release with debug info "
                       "and put the file into the folder of --layouts.directory"};
}

std::vector<Layout> LayoutLibrary::neighbours(const Release& release) const {
  constexpr int farthest = 2;
  std::set<std::string> otp_releases;
  for (const auto& layout : layouts_) otp_releases.insert(layout.otp_release);
  std::multimap<int, const Layout*> by_distance;
  for (const auto& each : otp_releases) {
    const int distance = std::abs(number_of(each) - number_of(release.otp_release));
    auto other = release;
    other.otp_release = each;
    const auto* layout = nearest(other);
    if (layout != nullptr && distance <= farthest) by_distance.emplace(distance, layout);
  }
  std::vector<Layout> near;
  for (const auto& [distance, layout] : by_distance) near.push_back(*layout);
  return near;
}

std::vector<std::string> LayoutLibrary::releases() const {
  std::set<std::string> names;
  for (const auto& layout : layouts_)
    names.insert(layout.otp_release + " " + layout.flavor + " " + layout.arch +
                 build_words(layout.build));
  return {names.begin(), names.end()};
}

}  // namespace beam_exporter::beam
