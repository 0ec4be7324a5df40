#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "commands/tools/tool.h"
#include "os/result.h"
#include "settings/settings.h"

// The command line as a value. main parses it once and keeps the value, so that a reload can read
// the file again under the same flags. Only load_settings reads a file. Any thread.
namespace beam_exporter::commands {

enum class Command {
  print,         // --help, --version: print `text` on stdout, exit 0
  serve,         // no subcommand
  once,          // --once: sample for `once_for`, print one exposition
  check_config,  // --check-config: load_settings, say ok or what is wrong
  check,         // `check`: prove the layout against the live VM
  layout,        // `layout BEAM_SMP`: write a layout file
  tool,          // one of tools/registry.h
};

struct CommandLine {
  Command command = Command::serve;
  std::string text;                          // for print
  std::string config_file;                   // --config.file; empty: defaults and flags only
  std::vector<settings::GivenFlag> flags;    // settings given as flags, all valid
  std::chrono::seconds once_for{10};         // for once: 1 s..1 day
  OutputFormat format = OutputFormat::text;  // for check and tools
  std::chrono::seconds read_delay_for{0};    // for check: duration of --skid; 0: not asked
  std::string layout_binary;                 // for layout: the beam.smp to read
  std::string layout_output;                 // for layout: file to write; empty: stdout
  bool symbols = false;                      // for layout: write a symbol file
  std::shared_ptr<Tool> tool;                // for tool: which one, with its flags
};

// Error: one line without the program's name, for exit code 2: "--sampling.frequency: 0 is
// outside 1..10000".
os::Result<CommandLine> parse_command_line(int argc, const char* const* argv);

// Defaults, then the config file, then the flags. Called at start, by --check-config and by a
// reload.
os::Result<settings::Settings> load_settings(const CommandLine& command_line);

}  // namespace beam_exporter::commands
