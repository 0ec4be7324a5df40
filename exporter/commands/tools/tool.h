#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "beam/layout/layout_library.h"
#include "os/result.h"
#include "settings/settings.h"

// A tool is a command that looks at one VM, prints what it saw, and ends. Each tool is one file,
// and registry.h lists it. The command line reads the flags that the tool declares, and calls it
// once.
namespace beam_exporter::commands {

enum class OutputFormat { text, json };

struct Number {
  std::int64_t* value;
  std::int64_t least, most;  // both allowed
};
struct Choice {
  std::string* value;
  std::vector<std::string_view> allowed;
};
// The values, in order, of a positional argument or of a flag that may be given several times.
struct Words {
  std::vector<std::string>* values;
  std::size_t least, most;
};

// A flag of one tool. `target` points to a member of the tool, which holds the default until the
// command line is read.
struct Flag {
  std::string_view name;        // "--limit"; without dashes: a positional, "FUNCTION"
  std::string_view value_name;  // "N"; empty for switches, choices and positionals
  std::string meaning;
  std::variant<bool*, std::string*, Number, Choice, Words> target;
};

struct ToolContext {
  const settings::Settings& settings;
  const beam::LayoutLibrary& layouts;
  OutputFormat format;
  std::ostream& out;
  std::string exporter;  // "0.1.0 (revision 1234abc)"
};

// The keys of the settings that every command takes as flags which looks at a VM; and with those of
// sampling.
std::span<const std::string_view> settings_choosing_a_vm();
std::span<const std::string_view> settings_of_sampling();

class Tool {
 public:
  virtual ~Tool() = default;

  virtual const char* name() const = 0;
  virtual const char* meaning() const = 0;  // a line of `beam_exporter --help`
  virtual const char* footer() const = 0;   // what its own --help teaches below the flags
  // The keys of the settings that it takes as flags; by default those that choose a VM.
  virtual std::span<const std::string_view> settings() const { return settings_choosing_a_vm(); }
  virtual std::vector<Flag> flags() = 0;
  // Checks what needs more than one flag, or more than a range. Error: one line.
  virtual os::Status check() { return os::Done{}; }

  // Opens the files that the tool will write. The program calls it before it gives up rights that
  // its user has, because without them it may not write everywhere. Error: one line.
  virtual os::Status prepare() { return os::Done{}; }

  // Returns the exit code, 0 or 1; progress and remarks go to stderr. Errors: for one line on
  // stderr and exit code 1, or 2 for invalid_argument.
  virtual os::Result<int> run(const ToolContext& context) = 0;
};

}  // namespace beam_exporter::commands
