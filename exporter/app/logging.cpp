#include "app/logging.h"

#include "sampling/log.h"

namespace beam_exporter::app {

void set_up_logging(const Settings::Log& log) {
  sampling::set_log_format(log.format);
  sampling::set_log_level(log.level);
}

}  // namespace beam_exporter::app
