#include "commands/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "commands/help_text.h"
#include "commands/tool_flags.h"
#include "commands/tools/registry.h"
#include "commands/version.h"
#include "settings/setting_list.h"

namespace beam_exporter::commands {
namespace {

constexpr std::string_view program = "beam_exporter";

// One parse: CLI11's objects, and the place where the values of each setting arrive.
class Parser {
 public:
  Parser();
  os::Result<CommandLine> parse(int argc, const char* const* argv);

 private:
  void add_settings(CLI::App& app, std::span<const std::string_view> keys);
  CLI::App& add_subcommand(const char* name, const char* meaning, const char* footer);
  void add_tools();
  void add_format(CLI::App& app);
  os::Result<CommandLine> read();
  os::Status refuse_unknown() const;
  std::vector<settings::GivenFlag> given_flags() const;

  struct Registered {
    settings::GivenFlag flag;
    CLI::Option* option;
  };

  CLI::App app_;
  CLI::App* check_ = nullptr;
  CLI::App* layout_ = nullptr;
  CLI::Option* once_ = nullptr;
  CLI::Option* skid_ = nullptr;
  struct RegisteredTool {
    std::shared_ptr<Tool> tool;
    std::unique_ptr<ToolFlags> flags;
  };
  std::vector<RegisteredTool> tools_;
  std::vector<Registered> settings_;
  CommandLine line_;
  bool check_config_ = false;
  bool version_ = false;
  std::string once_seconds_, skid_seconds_;
  std::string format_;
};

os::Error usage(const std::string& text) { return settings::bad_value(text); }

std::string group_of(std::string_view key) {
  std::string name(key.substr(0, key.find('.')));
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

// "samples per second (1..10000; default 99)"
std::string meaning_of(const settings::Setting& setting, std::string range,
                       const std::string& fallback) {
  if (!setting.value.empty() && !fallback.empty())
    range += (range.empty() ? "default " : "; default ") + fallback;
  return std::string(setting.meaning) + (range.empty() ? "" : " (" + range + ")");
}

// One value for each flag. Without extra arguments CLI11 also does not interpret brackets ([::1],
// [a-z]).
CLI::Option* take_value(CLI::Option& option, std::string_view name) {
  return option.type_name(std::string(name))->expected(1)->allow_extra_args(false);
}

Parser::Parser()
    : app_(
          "Watches an Erlang VM from outside, without stopping it, and serves what its schedulers\n"
          "do to Prometheus.",
          std::string(program)) {
  app_.formatter(help_page());
  app_.set_help_flag("-h,--help", "print this and exit");
  app_.option_defaults()->group("General");
  app_.allow_extras();  // refuse_unknown writes the better error
  app_.require_subcommand(0, 1);
  app_.footer(main_footer);
  app_.get_help_ptr()->group("General");

  app_.add_flag("--version", version_, "print the version and exit");
  take_value(*app_.add_option("--config.file", line_.config_file, "YAML file with settings"),
             "FILE");
  app_.add_flag("--check-config", check_config_,
                "check file and flags, say ok or what is wrong, exit");
  once_ = app_.add_flag("--once{10}", once_seconds_,
                        "sample for so long (default 10), print the metrics once, exit");
  once_->type_name("SECONDS");

  std::vector<std::string_view> all;
  settings::for_each_setting(settings::Settings{},
                             [&](const settings::Setting& setting, const auto&, auto...) {
                               if (!setting.flag.empty()) all.push_back(setting.key);
                             });
  add_settings(app_, all);

  check_ = &add_subcommand("check", "prove that the VM is understood, one line for each proof",
                           check_footer);
  add_settings(*check_, settings_choosing_a_vm());
  skid_ = check_->add_flag("--skid{10}", skid_seconds_,
                           "measure for so long (default 10) how wrong late reads would be");
  skid_->type_name("SECONDS");
  add_format(*check_);

  layout_ = &add_subcommand("layout",
                            "write a layout file, or a symbol file, from an unstripped beam.smp",
                            layout_footer);
  layout_->add_option("BEAM_SMP", line_.layout_binary, "the executable to read")->type_name("");
  take_value(
      *layout_->add_option("--output", line_.layout_output, "file to write (default: stdout)"),
      "FILE");
  layout_->add_flag("--symbols", line_.symbols, "write the symbols of this build, not its layout");
  add_tools();
}

void Parser::add_tools() {
  for (auto& made : make_tools()) {
    auto& app = add_subcommand(made->name(), made->meaning(), made->footer());
    std::shared_ptr<Tool> tool = std::move(made);
    auto flags = std::make_unique<ToolFlags>(*tool, app);
    add_format(app);
    add_settings(app, tool->settings());
    tools_.push_back({std::move(tool), std::move(flags)});
  }
}

void Parser::add_format(CLI::App& app) {
  take_value(*app.add_option("--format", format_, "how to say it (text, json; default text)"),
             "FORMAT");
}

CLI::App& Parser::add_subcommand(const char* name, const char* meaning, const char* footer) {
  CLI::App* sub = app_.add_subcommand(name, meaning);
  sub->footer(footer);
  sub->get_help_ptr()->group("General");
  return *sub;
}

void Parser::add_settings(CLI::App& app, std::span<const std::string_view> keys) {
  settings::for_each_setting(
      settings::Settings{}, [&](const settings::Setting& setting, const auto& value, auto... rule) {
        if (std::ranges::find(keys, setting.key) == keys.end()) return;
        const std::string flag(setting.flag);
        const std::string meaning =
            meaning_of(setting, settings::allowed(rule...), settings::text_of(value, rule...));
        CLI::Option* option =
            setting.value.empty() ? app.add_flag(flag, meaning) : app.add_option(flag, meaning);
        if (!setting.value.empty()) take_value(*option, setting.value)->take_all();
        option->group(group_of(setting.key));
        settings_.push_back({{std::string(setting.key), flag, {}}, option});
      });
}

std::vector<settings::GivenFlag> Parser::given_flags() const {
  std::vector<settings::GivenFlag> flags;
  for (const Registered& registered : settings_) {
    if (registered.option->count() == 0) continue;
    // `--target.pid=1 check --target.pid=2`: the nearer one is a second value, and is refused
    auto known = std::ranges::find(flags, registered.flag.key, &settings::GivenFlag::key);
    if (known == flags.end()) known = flags.insert(flags.end(), registered.flag);
    for (const std::string& value : registered.option->results()) known->values.push_back(value);
  }
  return flags;
}

os::Status Parser::refuse_unknown() const {
  std::vector<const CLI::App*> apps{&app_, check_, layout_};
  for (const auto& tool : tools_) apps.push_back(&tool.flags->app());
  for (const CLI::App* app : apps) {
    const auto unknown = app->remaining();
    if (unknown.empty()) continue;
    std::string where(program);
    if (app != &app_) where += " " + app->get_name();
    const std::string& word = unknown.front();
    if (word.starts_with('-'))
      return usage("unknown flag " + yaml::shown(word.substr(0, word.find('='))) + "; see " +
                   where + " --help");
    if (app != &app_)
      return usage("unexpected " + yaml::shown(word) + "; see " + where + " --help");
    return usage("unknown command " + yaml::shown(word) + "; see " + where + " --help");
  }
  return os::Done{};
}

os::Result<CommandLine> Parser::read() {
  CommandLine line = line_;
  line.flags = given_flags();
  settings::Settings scratch;
  if (const auto done = settings::apply_flags(line.flags, scratch); !done) return done.error();

  if (version_) {
    line.command = Command::print;
    line.text = version_text();
  } else if (check_->parsed()) {
    line.command = Command::check;
  } else if (layout_->parsed()) {
    line.command = Command::layout;
  } else if (check_config_) {
    line.command = Command::check_config;
  } else if (once_->count() != 0) {
    line.command = Command::once;
  }

  for (const auto& [tool, flags] : tools_) {
    if (!flags->app().parsed()) continue;
    if (const auto done = flags->read(); !done) return done.error();
    line.command = Command::tool;
    line.tool = tool;
  }

  if (once_->count() != 0) {
    std::int64_t seconds = 0;
    const auto done = yaml::convert({once_seconds_}, seconds, {1, 86400});
    if (!done) return usage("--once: " + done.error().text);
    line.once_for = std::chrono::seconds{seconds};
    if (line.command != Command::once && line.command != Command::print)
      return usage("--once serves on its own, without --check-config or a command");
  }
  if (skid_->count() != 0) {
    std::int64_t seconds = 0;
    const auto done = yaml::convert({skid_seconds_}, seconds, {1, 3600});
    if (!done) return usage("--skid: " + done.error().text);
    line.read_delay_for = std::chrono::seconds{seconds};
  }
  if (!format_.empty() && format_ != "text" && format_ != "json")
    return usage("--format: " + yaml::shown(format_) + " is not one of text, json");
  line.format = format_ == "json" ? OutputFormat::json : OutputFormat::text;
  if (line.command == Command::layout && line.layout_binary.empty())
    return usage("layout: name the executable to read: beam_exporter layout BEAM_SMP");
  return line;
}

os::Result<CommandLine> Parser::parse(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    CommandLine line;
    line.command = Command::print;
    line.text = app_.help();  // of the subcommand, when there is one
    return line;
  } catch (const CLI::ArgumentMismatch& problem) {  // "--target.pid: 1 required PID missing"
    const std::string text = problem.what();
    const std::string flag = text.substr(0, text.find(':'));
    const bool missing = text.ends_with("missing");
    return usage(flag + (missing ? ": needs a value" : ": given more than once"));
  } catch (const CLI::ParseError& problem) {
    return usage(problem.what());
  }
  if (const auto done = refuse_unknown(); !done) return done.error();
  return read();
}

}  // namespace

os::Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  return Parser().parse(argc, argv);
}

os::Result<settings::Settings> load_settings(const CommandLine& command_line) {
  os::Result<settings::Settings> settings{settings::Settings{}};
  if (!command_line.config_file.empty())
    settings = settings::read_settings(command_line.config_file);
  if (!settings) return settings;
  if (const auto done = settings::apply_flags(command_line.flags, *settings); !done)
    return done.error();
  return settings;
}

}  // namespace beam_exporter::commands
