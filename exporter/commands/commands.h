#pragma once

#include <memory>

#include "beam/layout/layout_library.h"
#include "commands/command_line.h"
#include "metrics/exposition/exposition.h"

// What main() does for each command that ends by itself; each returns the exit code (0 good, 1
// failed at run time, 2 usage or configuration) and says its errors on stderr in one line.
// `layouts` are those of judge_settings.
namespace beam_exporter::commands {

int run_once(const CommandLine& command_line, const settings::Settings& settings,
             beam::LayoutLibrary layouts);
int run_check(const CommandLine& command_line, const settings::Settings& settings,
              const beam::LayoutLibrary& layouts);
int run_layout(const CommandLine& command_line);

// "beam_exporter: <error>" on stderr.
void complain(const os::Error& error);
// 2 for what the user said, 1 for what happened.
int exit_code(const os::Error& error);
// Both: complains, and returns the exit code.
int fail(const os::Error& error);

// What this build serves and --once prints of `latest`, which outlives it.
std::unique_ptr<metrics::Exposition> own_exposition(const totals::LatestSnapshot& latest,
                                                    const settings::Settings& settings);

}  // namespace beam_exporter::commands
