#include "commands/commands.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "beam/target.h"
#include "commands/check_command.h"
#include "commands/layout_command.h"
#include "commands/read_delay_command.h"
#include "commands/tools/find_vm.h"
#include "commands/version.h"
#include "session/observer.h"
#include "session/views/process_profile.h"

namespace beam_exporter::commands {

void complain(const os::Error& error) { std::cerr << "beam_exporter: " << error.text << "\n"; }

int exit_code(const os::Error& error) {
  return error.kind == os::ErrorKind::invalid_argument ? 2 : 1;
}

int fail(const os::Error& error) {
  complain(error);
  return exit_code(error);
}

std::unique_ptr<metrics::Exposition> own_exposition(const totals::LatestSnapshot& latest,
                                                    const settings::Settings& settings) {
  const auto build = build_info();
  return metrics::exposition_of(
      latest,
      {std::string(build.version), std::string(build.revision), std::string(build.compiler)},
      {.exporter_metrics = !settings.web.disable_exporter_metrics});
}

int run_once(const CommandLine& command_line, const settings::Settings& settings,
             beam::LayoutLibrary layouts) {
  // A missing VM is an error here: --once does not wait for one.
  if (auto target = beam::find_target({settings.target.pid, settings.target.match}); !target)
    return fail(target.error());
  totals::LatestSnapshot latest;
  profile::Recorder recorder;
  collectors::AskedLooks looks;  // nobody asks
  session::Observer observer(settings, std::move(layouts), latest, recorder, looks);
  if (auto attached = observer.attach_now(); !attached) return fail(attached.error());
  if (observer.start().count() > 0)
    return fail({os::ErrorKind::system, "no thread can be started to observe the VM"});
  std::this_thread::sleep_for(command_line.once_for);
  observer.stop();
  const auto page = own_exposition(latest, settings)->render(metrics::Format::text_0_0_4);
  if (!page) return fail(page.error());
  std::cout << **page << std::flush;
  return std::cout ? 0 : 1;
}

int run_check(const CommandLine& command_line, const settings::Settings& settings,
              const beam::LayoutLibrary& layouts) {
  const auto target = find_vm(settings, layouts);
  if (!target) return fail(target.error());
  if (command_line.read_delay_for.count() > 0) {
    const auto read_delay = measure_read_delay(*target, layouts, command_line.read_delay_for,
                                               static_cast<unsigned>(settings.sampling.frequency));
    if (!read_delay) return fail(read_delay.error());
    std::cout << (command_line.format == OutputFormat::json ? read_delay_json(*read_delay)
                                                            : read_delay_text(*read_delay))
              << std::flush;
    return std::cout ? 0 : 1;
  }
  const auto report = check_target(*target, layouts);
  if (!report) return fail(report.error());
  std::cout << (command_line.format == OutputFormat::json ? check_json(*report)
                                                          : check_text(*report))
            << std::flush;
  return beam::all_ok(report->results) ? 0 : 1;
}

int run_tool(const CommandLine& command_line, const settings::Settings& settings,
             const beam::LayoutLibrary& layouts) {
  const auto build = build_info();
  const auto version =
      std::string(build.version) + " (revision " + std::string(build.revision) + ")";
  const auto code =
      command_line.tool->run({settings, layouts, command_line.format, std::cout, version});
  if (!code) return fail(code.error());
  return std::cout.flush() ? *code : 1;
}

int run_layout(const CommandLine& command_line) {
  const auto yaml = command_line.symbols ? symbols_yaml(command_line.layout_binary)
                                         : layout_yaml(command_line.layout_binary);
  if (!yaml) return fail(yaml.error());
  if (command_line.layout_output.empty()) {
    std::cout << *yaml << std::flush;
    return std::cout ? 0 : 1;
  }
  std::ofstream file(command_line.layout_output);
  file << *yaml << std::flush;
  if (file) return 0;
  return fail({os::ErrorKind::system, "cannot write " + command_line.layout_output});
}

}  // namespace beam_exporter::commands
