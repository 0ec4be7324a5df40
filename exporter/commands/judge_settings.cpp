#include "commands/judge_settings.h"

#include <utility>

#include "beam/layout/forced_places.h"
#include "elf/debuginfod.h"

namespace beam_exporter::commands {

os::Result<JudgedSettings> judge_settings(const settings::Settings& settings) {
  auto addresses = web::parse_listen_addresses(settings.web.listen_addresses);
  if (!addresses) return addresses.error();
  if (!settings.builds.debuginfod_urls.empty())
    if (const auto usable = elf::debuginfod::usable(); !usable)
      return os::Error{os::ErrorKind::invalid_argument,
                       "builds.debuginfod_urls: " + usable.error().text};
  auto symbols = elf::SymbolSearch::load(settings.builds.directory);
  if (!symbols)
    return os::Error{os::ErrorKind::invalid_argument, "builds.directory: " + symbols.error().text};
  auto layouts = beam::LayoutLibrary::load(settings.layouts.directory, std::move(*symbols));
  // Any error of a file in that folder is the user's: the user named the folder.
  if (!layouts)
    return os::Error{os::ErrorKind::invalid_argument, "layouts.directory: " + layouts.error().text};
  const auto forced = beam::forced_places(settings.builds.force_registers);
  if (!forced)
    return os::Error{os::ErrorKind::invalid_argument,
                     "builds.force_registers: " + forced.error().text};
  layouts->force(*forced);
  return JudgedSettings{std::move(*layouts), std::move(*addresses)};
}

}  // namespace beam_exporter::commands
