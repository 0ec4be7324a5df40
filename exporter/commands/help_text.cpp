#include "commands/help_text.h"

#include <CLI/CLI.hpp>
#include <string>

namespace beam_exporter::commands {

const char* const main_footer = R"(
Settings without a flag are in the file that --config.file names; a flag wins over the file.

Examples:
  beam_exporter                                    serve the only VM here on :10125
  beam_exporter --target.match='sname shop'        choose one of several VMs
  beam_exporter --once=30 --target.pid=4711        sample for 30 s, print the metrics, exit
  beam_exporter check                              is this VM understood?
  beam_exporter --check-config --config.file=beam_exporter.yaml

Each command has its own --help. Exit codes: 0 done, 1 failed while running, 2 wrong usage or settings.)";

const char* const check_footer = R"(
Attaches, reads, and proves what it read: well-known atoms, process ids, back-pointers, addresses that
must be mapped. One line for each proof, ok or failed. Where a proof of some figures only does not hold, its
line says off: these figures are left out, and all others are served. The VM is not stopped and nothing is
written to it.

Examples:
  beam_exporter check
  beam_exporter check --target.pid=4711 --format=json
  beam_exporter check --layouts.directory=./layouts     with a layout file of your own
  beam_exporter check --skid=30     how often reads that come late, as without eBPF, would be wrong

Exit codes: 0 all proven, or measured; 1 a proof failed, no VM could be read, or, with --skid, eBPF is refused;
2 wrong usage.)";

const char* const layout_footer = R"(
BEAM_SMP is a beam.smp with debug information (DWARF), or one whose debug file is installed. The file
tells the exporter where that release keeps what it reads; put it in the folder of --layouts.directory.

With --symbols, it is any executable or library with a symbol table, or whose debug file is installed. The
file names the functions and the data of its stripped twin, the file with the same build id; put it in the
folder of --builds.directory, under any name that ends in .yaml.

Examples:
  beam_exporter layout /usr/lib/erlang/erts-13.1.5/bin/beam.smp
  beam_exporter layout ./beam.smp --output layouts/otp-25-jit.yaml
  beam_exporter layout ./beam.smp --symbols --output builds/our-otp-29.yaml

Exit codes: 0 written, 1 the file has no such information, 2 wrong usage.)";

namespace {

// CLI11's own page shows types (TEXT, REQUIRED) and needs much space; this page is dense.
class HelpPage : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    const std::string name = app->get_parent() == nullptr
                                 ? app->get_name()
                                 : app->get_parent()->get_name() + " " + app->get_name();
    std::string usage = name + " [FLAGS]";
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) usage += " " + option->get_name();
    std::string help = app->get_description() + "\n\nUsage: " + usage + "\n";
    const auto subcommands = app->get_subcommands([](const CLI::App*) { return true; });
    if (!subcommands.empty()) {
      help += "       " + name + " COMMAND [FLAGS]\n\nCommands:\n";
      for (const CLI::App* sub : subcommands) help += line(sub->get_name(), sub->get_description());
    }
    for (const std::string& group : app->get_groups()) {
      help += "\n" + group + ":\n";
      for (const CLI::Option* option : app->get_options())
        if (option->get_group() == group)
          help += line(spelling(*option), option->get_description());
    }
    return help + app->get_footer() + "\n";
  }

 private:
  static std::string line(const std::string& left, const std::string& right) {
    constexpr std::size_t width = 34;
    return "  " + left + std::string(left.size() < width ? width - left.size() : 1, ' ') + right +
           "\n";
  }

  static std::string spelling(const CLI::Option& option) {
    if (option.get_positional()) return option.get_name();
    std::string text;
    for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
    text += "--" + option.get_lnames().front();
    const std::string value = option.get_type_name();
    if (value.empty()) return text;
    return text + (option.get_expected_min() == 0 ? "[=" + value + "]" : "=" + value);
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_page() { return std::make_shared<HelpPage>(); }

}  // namespace beam_exporter::commands
