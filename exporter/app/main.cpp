#include <iostream>

#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/logging.h"
#include "commands/serve.h"
#include "log/log.h"
#include "os/heap.h"
#include "os/process/descriptors.h"
#include "os/rights/capabilities.h"
#include "os/supervision.h"

using namespace beam_exporter;
using namespace beam_exporter::commands;

namespace {

// What watches a VM has no other rights than serving has. `layout` writes a file, as whoever asks
// for it.
void give_up_rights(Command command, const settings::Settings& settings) {
  if (command != Command::serve && command != Command::once && command != Command::check) return;
  if (auto dropped = os::drop_other_capabilities(settings.growth.enabled); !dropped)
    log::warn(dropped.error().text);
}

int run(int argc, char** argv) {
  const auto command_line = parse_command_line(argc, argv);
  if (!command_line) {
    complain(command_line.error());
    return 2;
  }
  if (command_line->command == Command::print) {
    std::cout << command_line->text << std::flush;
    return std::cout ? 0 : 1;
  }
  const auto settings = load_settings(*command_line);
  if (!settings) {
    complain(settings.error());
    return 2;
  }
  set_up_logging(settings->log);
  give_up_rights(command_line->command, *settings);
  switch (command_line->command) {
    case Command::print:
      break;  // done above, before the settings
    case Command::check_config:
      std::cout << "configuration is good\n";
      break;
    case Command::once:
      return run_once(*command_line, *settings);
    case Command::check:
      return run_check(*command_line, *settings);
    case Command::layout:
      return run_layout(*command_line);
    case Command::serve:
      return serve(*command_line, *settings);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  os::keep_heap_small();
  os::raise_descriptor_limit();
  int code = 1;
  if (const auto failure = os::failure_of([&] { code = run(argc, argv); }))
    complain({os::ErrorKind::system, *failure});
  return code;
}
