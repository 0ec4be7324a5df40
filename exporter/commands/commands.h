#pragma once

#include <memory>

#include "beam/layout/layout_library.h"
#include "commands/command_line.h"
#include "metrics/exposition/exposition.h"

// What main() does for each command that ends by itself. Each returns the exit code (0 good, 1
// failed at run time, 2 usage or configuration) and writes an error on stderr in one line.
// `layouts` are those of judge_settings.
namespace beam_exporter::commands {

int run_once(const CommandLine& command_line, const settings::Settings& settings,
             beam::LayoutLibrary layouts);
int run_check(const CommandLine& command_line, const settings::Settings& settings,
              const beam::LayoutLibrary& layouts);
int run_layout(const CommandLine& command_line);
int run_tool(const CommandLine& command_line, const settings::Settings& settings,
             const beam::LayoutLibrary& layouts);

// Writes "beam_exporter: <error>" on stderr.
void complain(const os::Error& error);
// 2 for a mistake of the user, 1 for a failure at run time.
int exit_code(const os::Error& error);
// Calls complain() and returns exit_code().
int fail(const os::Error& error);

// Renders `latest` as this build serves it and --once prints it. `latest` must outlive it.
std::unique_ptr<metrics::Exposition> own_exposition(const totals::LatestSnapshot& latest,
                                                    const settings::Settings& settings);

}  // namespace beam_exporter::commands
