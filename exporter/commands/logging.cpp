#include "commands/logging.h"

#include "log/log.h"

namespace beam_exporter::commands {

void set_up_logging(const settings::Settings::Log& log) {
  log::set_format(log.format);
  log::set_level(log.level);
}

}  // namespace beam_exporter::commands
