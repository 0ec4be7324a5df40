#include "commands/layout_command.h"

#include <system_error>

#include "beam/layout/layout_file.h"
#include "beam/layout/layout_from_dwarf.h"
#include "beam/layout/release.h"
#include "elf/debug_file.h"
#include "elf/image.h"
#include "elf/symbol_file.h"
#include "elf/symbol_search.h"

namespace beam_exporter::commands {

namespace {

os::Result<std::filesystem::path> existing(const std::filesystem::path& file) {
  std::error_code failure;
  auto path = std::filesystem::canonical(file, failure);
  if (!failure) return path;
  return os::Error{os::ErrorKind::not_found, file.string() + ": " + failure.message()};
}

os::Result<elf::Image> with_debug_info(elf::Image binary, const std::filesystem::path& path) {
  if (binary.has_debug_info()) return binary;
  auto debug = elf::find_debug_file(binary, "/", path);
  if (debug) return debug;
  return os::Error{
      debug.error().kind,
      debug.error().text +
          "; install its debug symbol package, or build that release with CFLAGS=\"-g -O2\" "
          "(config/layouts/README.md)"};
}

}  // namespace

os::Result<std::string> layout_yaml(const std::filesystem::path& beam_smp) {
  const auto path = existing(beam_smp);
  if (!path) return path.error();
  auto binary = elf::Image::open(path->string());
  if (!binary) return binary.error();
  const auto release = beam::read_release(*binary);
  if (!release) return release.error();
  const auto debug = with_debug_info(std::move(*binary), *path);
  if (!debug) return debug.error();
  const auto layout = beam::layout_from_dwarf(*debug, *release);
  if (!layout) return layout.error();
  return beam::write_layout(*layout);
}

os::Result<std::string> symbols_yaml(const std::filesystem::path& file) {
  const auto path = existing(file);
  if (!path) return path.error();
  auto image = elf::Image::open(path->string());
  if (!image) return image.error();
  if (!image->has_symbol_table()) (void)elf::SymbolSearch().complete(*image, "/", *path);
  return elf::write_symbol_file(*image);
}

}  // namespace beam_exporter::commands
