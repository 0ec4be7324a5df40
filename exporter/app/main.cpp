#include <iostream>

#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/judge_settings.h"
#include "commands/logging.h"
#include "commands/serve.h"
#include "elf/debuginfod.h"
#include "log/log.h"
#include "os/heap.h"
#include "os/process/descriptors.h"
#include "os/rights/capabilities.h"
#include "os/supervision.h"

using namespace beam_exporter;
using namespace beam_exporter::commands;

namespace {

// Everything that watches a VM keeps only the rights that serving has. --check-config gives up the
// others too: it must judge with the same rights whether files can be read.
void give_up_rights(const settings::Settings& settings) {
  if (auto dropped = os::drop_other_capabilities(settings.growth.enabled); !dropped)
    log::warn(dropped.error().text);
}

// A tool prints what was asked for: its log only tells what is wrong.
settings::Settings::Log log_of(const CommandLine& command_line, settings::Settings::Log log) {
  if (command_line.command == Command::tool && log.level == log::Level::info)
    log.level = log::Level::warn;
  return log;
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
  set_up_logging(log_of(*command_line, settings->log));
  // `layout` writes a file, so it keeps the rights of the user who called it.
  if (command_line->command == Command::layout) return run_layout(*command_line);
  if (command_line->tool != nullptr)
    if (const auto prepared = command_line->tool->prepare(); !prepared)
      return fail(prepared.error());
  if (const auto& urls = settings->builds.debuginfod_urls; !urls.empty())
    elf::debuginfod::use_servers(urls);
  give_up_rights(*settings);
  auto judged = judge_settings(*settings);
  if (!judged) return fail(judged.error());
  switch (command_line->command) {
    case Command::print:
    case Command::layout:
      break;  // done above
    case Command::check_config:
      std::cout << "configuration is good\n";
      break;
    case Command::once:
      return run_once(*command_line, *settings, std::move(judged->layouts));
    case Command::tool:
      return run_tool(*command_line, *settings, judged->layouts);
    case Command::check:
      return run_check(*command_line, *settings, judged->layouts);
    case Command::serve:
      return serve(*command_line, *settings, std::move(*judged));
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
