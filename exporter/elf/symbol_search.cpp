#include "elf/symbol_search.h"

#include <utility>

#include "elf/debug_file.h"
#include "yaml/folder.h"

namespace beam_exporter::elf {

namespace fs = std::filesystem;

os::Result<SymbolSearch> SymbolSearch::load(const fs::path& folder) {
  SymbolSearch search;
  const auto paths = yaml::files_in(folder, "builds folder");
  if (!paths) return paths.error();
  for (const auto& path : *paths) {
    auto file = read_symbol_file(path.string());
    if (!file) return file.error();
    const auto [other, fresh] = search.by_build_id_.try_emplace(file->build_id);
    if (!fresh)
      return os::Error{os::ErrorKind::malformed,
                       path.string() + ": of the same build as " + other->second->path};
    other->second = std::make_shared<const Found>(Found{path.string(), std::move(*file)});
  }
  return search;
}

std::optional<Image> SymbolSearch::complete(Image& image, const fs::path& root,
                                            const fs::path& path) const {
  std::optional<Image> debug;
  if (auto found = find_debug_file(image, root, path))
    debug = std::move(*found);
  else
    debug = added(image);
  if (debug && debug->has_symbol_table() && !image.has_symbol_table())
    image.add_symbol_table(debug->symbols(), debug->name());
  const auto told = by_build_id_.find(image.build_id());
  if (told != by_build_id_.end() && !image.has_symbol_table())
    image.add_symbol_table(told->second->file.symbols, told->second->path);
  return debug;
}

void SymbolSearch::add_debug_file(const std::string& build_id, const std::string& file) {
  const std::lock_guard lock(added_->mutex);
  added_->file_of[build_id] = file;
}

// Whoever sent the file, it must be of that build.
std::optional<Image> SymbolSearch::added(const Image& image) const {
  std::string path;
  {
    const std::lock_guard lock(added_->mutex);
    const auto known = added_->file_of.find(image.build_id());
    if (image.build_id().empty() || known == added_->file_of.end()) return std::nullopt;
    path = known->second;
  }
  auto debug = Image::open(path);
  if (!debug || debug->build_id() != image.build_id()) return std::nullopt;
  return std::move(*debug);
}

}  // namespace beam_exporter::elf
