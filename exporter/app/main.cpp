#include <iostream>

#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/judge_settings.h"
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

// What watches a VM has no other rights than serving has, nor has what judges for it whether files
// can be read.
void give_up_rights(const settings::Settings& settings) {
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
  // `layout` writes a file, as whoever asks for it.
  if (command_line->command == Command::layout) return run_layout(*command_line);
  give_up_rights(*settings);
  auto layouts = judge_settings(*settings);
  if (!layouts) return fail(layouts.error());
  switch (command_line->command) {
    case Command::print:
    case Command::layout:
      break;  // done above
    case Command::check_config:
      std::cout << "configuration is good\n";
      break;
    case Command::once:
      return run_once(*command_line, *settings, std::move(*layouts));
    case Command::check:
      return run_check(*command_line, *settings, *layouts);
    case Command::serve:
      return serve(*command_line, *settings, std::move(*layouts));
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
