#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "os/result.h"
#include "settings/settings.h"

// The command line as a value. Called by main once; kept, so that a reload can read the file again
// under the same flags. No input or output but the config file in load_settings. Any thread.
namespace beam_exporter::commands {

enum class Command {
  print,         // --help, --version: print `text` on stdout, exit 0
  serve,         // no subcommand
  once,          // --once: sample for `once_for`, print one exposition
  check_config,  // --check-config: load_settings, say ok or what is wrong
  check,         // `check`: prove the layout against the live VM
  layout,        // `layout BEAM_SMP`: write a layout file
};

enum class OutputFormat { text, json };

struct CommandLine {
  Command command = Command::serve;
  std::string text;                          // of print
  std::string config_file;                   // --config.file; empty: defaults and flags only
  std::vector<settings::GivenFlag> flags;    // settings given as flags; valid ones
  std::chrono::seconds once_for{10};         // of once: 1 s..1 day
  OutputFormat format = OutputFormat::text;  // of check
  std::chrono::seconds read_delay_for{0};    // of check: --skid, measure for so long; 0: not asked
  std::string layout_binary;                 // of layout: the beam.smp to read
  std::string layout_output;                 // of layout: file to write; empty: stdout
};

// Error: one line without the program's name, for exit code 2: "--sampling.frequency: 0 is
// outside 1..10000".
os::Result<CommandLine> parse_command_line(int argc, const char* const* argv);

// Defaults, then the config file, then the flags. Called at start, by --check-config and by a
// reload.
os::Result<settings::Settings> load_settings(const CommandLine& command_line);

}  // namespace beam_exporter::commands
