#include "commands/judge_settings.h"

#include "web/listen_address.h"

namespace beam_exporter::commands {

os::Result<beam::LayoutLibrary> judge_settings(const settings::Settings& settings) {
  const auto addresses = web::parse_listen_addresses(settings.web.listen_addresses);
  if (!addresses) return addresses.error();
  auto layouts = beam::LayoutLibrary::load(settings.layouts.directory);
  // Whatever is wrong with a file of that folder: the user named the folder.
  if (!layouts)
    return os::Error{os::ErrorKind::invalid_argument, "layouts.directory: " + layouts.error().text};
  return layouts;
}

}  // namespace beam_exporter::commands
