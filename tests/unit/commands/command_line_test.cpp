#include "commands/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "settings/setting_list.h"

namespace beam_exporter::commands {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

os::Result<CommandLine> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "beam_exporter");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

CommandLine good(std::vector<const char*> words) {
  auto line = parse(std::move(words));
  EXPECT_TRUE(line) << line.error().text;
  return line ? *line : CommandLine{};
}

settings::Settings loaded(std::vector<const char*> words) {
  const auto settings = load_settings(good(std::move(words)));
  EXPECT_TRUE(settings) << settings.error().text;
  return settings ? *settings : settings::Settings{};
}

std::string complaint(std::vector<const char*> words) {
  const auto line = parse(std::move(words));
  return line ? "" : line.error().text;
}

class ConfigFile {
 public:
  explicit ConfigFile(std::string_view text)
      : path_(testing::TempDir() + "beam_exporter_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml"),
        flag_("--config.file=" + path_) {
    write(text);
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  void write(std::string_view text) { std::ofstream(path_, std::ios::trunc) << text; }
  const std::string& path() const { return path_; }
  const char* flag() const { return flag_.c_str(); }

 private:
  std::string path_;
  std::string flag_;
};

TEST(CommandLine, NothingMeansServeTheDefaults) {
  EXPECT_EQ(good({}).command, Command::serve);
  EXPECT_EQ(loaded({}), settings::Settings{});
}

TEST(CommandLine, EveryFlagReachesItsSetting) {
  const settings::Settings settings = loaded(
      {"--target.pid=5", "--target.match=[a-z]", "--sampling.source=perf",
       "--sampling.frequency=199", "--layouts.directory=/l", "--builds.directory=/b",
       "--builds.debuginfod-urls=http://d", "--force-register=I=r12", "--force-register=E=rsp+8",
       "--web.listen-address=[::1]:1", "--web.telemetry-path=/m", "--web.max-requests=3",
       "--web.disable-exporter-metrics", "--log.level=warn", "--log.format=json"});
  settings::Settings expected;
  expected.target = {5, "[a-z]"};
  expected.sampling = {sampling::SourceChoice::perf, 199};
  expected.layouts.directory = "/l";
  expected.builds = {"/b", "http://d", {"I=r12", "E=rsp+8"}};
  expected.web = {{"[::1]:1"}, "/m", "", 3, true};
  expected.log = {log::Level::warn, log::Format::json};
  EXPECT_EQ(settings, expected);
}

TEST(CommandLine, AValueMayStandInAWordOfItsOwn) {
  EXPECT_EQ(loaded({"--target.match", "sname shop", "--target.pid", "7"}).target.match,
            "sname shop");
}

TEST(CommandLine, FlagsWinOverTheFileAndTheFileOverTheDefaults) {
  const ConfigFile file("sampling: {frequency: 50}\nlog: {level: debug}\nfunctions: {top: 3}\n");
  const settings::Settings settings = loaded({file.flag(), "--sampling.frequency=77"});
  EXPECT_EQ(settings.sampling.frequency, 77);
  EXPECT_EQ(settings.log.level, log::Level::debug);
  EXPECT_EQ(settings.functions.top, 3);
  EXPECT_EQ(settings.functions.inclusive_top, 50);
}

TEST(CommandLine, AReloadReadsTheFileAgainUnderTheSameFlags) {
  ConfigFile file("sampling: {frequency: 50}\nfunctions: {top: 3}\n");
  const CommandLine line = good({file.flag(), "--sampling.frequency=77"});
  ASSERT_EQ(load_settings(line)->functions.top, 3);
  file.write("sampling: {frequency: 51}\nfunctions: {top: 4}\n");
  const auto fresh = load_settings(line);
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->functions.top, 4);
  EXPECT_EQ(fresh->sampling.frequency, 77);
  file.write("functions: {top: 4, tap: 1}\n");
  const auto refused = load_settings(line);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text,
              StartsWith(file.path() + ":1: unknown key 'tap' in 'functions'; known keys: top"));
}

TEST(CommandLine, ListenAddressesRepeatAndReplaceThoseOfTheFile) {
  const ConfigFile file("web: {listen_addresses: [':1', ':2']}\n");
  EXPECT_THAT(loaded({file.flag()}).web.listen_addresses, ElementsAre(":1", ":2"));
  EXPECT_THAT(loaded({file.flag(), "--web.listen-address=:3", "--web.listen-address", "[::1]:0"})
                  .web.listen_addresses,
              ElementsAre(":3", "[::1]:0"));
  EXPECT_THAT(complaint({"--web.listen-address=:3", "--web.listen-address=nowhere"}),
              StartsWith("--web.listen-address: 'nowhere' is not an address"));
}

TEST(CommandLine, OnceWithAndWithoutSeconds) {
  EXPECT_EQ(good({"--once"}).command, Command::once);
  EXPECT_EQ(good({"--once"}).once_for, std::chrono::seconds{10});
  EXPECT_EQ(good({"--once=3", "--target.pid=1"}).once_for, std::chrono::seconds{3});
  EXPECT_EQ(complaint({"--once=0"}), "--once: 0 is outside 1..86400");
  EXPECT_EQ(complaint({"--once=soon"}), "--once: 'soon' is not a whole number 1..86400");
  EXPECT_THAT(complaint({"--once", "check"}), HasSubstr("--once serves on its own"));
  EXPECT_THAT(complaint({"--once", "--check-config"}), HasSubstr("--once serves on its own"));
}

TEST(CommandLine, CheckConfigLoadsAndSaysWhatIsWrong) {
  const ConfigFile file("log:\n  level: loud\n");
  const CommandLine line = good({"--check-config", file.flag()});
  EXPECT_EQ(line.command, Command::check_config);
  EXPECT_EQ(load_settings(line).error().text,
            file.path() + ":2: log.level: 'loud' is not one of debug, info, warn, error");
  EXPECT_EQ(load_settings(good({"--config.file=/no/such.yaml"})).error().text,
            "cannot read config file /no/such.yaml: No such file or directory");
}

TEST(CommandLine, UsageErrorsAreOneLineThatNamesTheFlag) {
  EXPECT_EQ(complaint({"--sampling.frequency=0"}), "--sampling.frequency: 0 is outside 1..10000");
  EXPECT_EQ(complaint({"--web.config.file=/w"}),
            "--web.config.file: TLS and basic auth are not supported yet; leave it out");
  EXPECT_EQ(complaint({"--target.pid=x"}), "--target.pid: 'x' is not a whole number 0..4194304");
  EXPECT_EQ(complaint({"--target.pid"}), "--target.pid: needs a value");
  EXPECT_EQ(complaint({"--target.pid=1", "--target.pid=2"}),
            "--target.pid: given 2 times, and it takes one value");
  EXPECT_EQ(complaint({"--config.file=a", "--config.file=b"}),
            "--config.file: given more than once");
  EXPECT_EQ(complaint({"--log.format=xml"}), "--log.format: 'xml' is not one of logfmt, json");
  EXPECT_THAT(complaint({"--target.match=("}), HasSubstr("--target.match: '(' is not a regular"));
  EXPECT_EQ(complaint({"--web.disable-exporter-metrics=maybe"}),
            "--web.disable-exporter-metrics: 'maybe' is not true or false");
  EXPECT_EQ(complaint({"--samplin.frequency=5"}),
            "unknown flag '--samplin.frequency'; see beam_exporter --help");
  EXPECT_EQ(complaint({"-x"}), "unknown flag '-x'; see beam_exporter --help");
  EXPECT_EQ(complaint({"serve"}), "unknown command 'serve'; see beam_exporter --help");
}

TEST(CommandLine, Check) {
  const CommandLine line = good({"check", "--target.pid=9", "--layouts.directory=/l"});
  EXPECT_EQ(line.command, Command::check);
  EXPECT_EQ(line.format, OutputFormat::text);
  EXPECT_EQ(load_settings(line)->target.pid, 9);
  EXPECT_EQ(load_settings(line)->layouts.directory, "/l");
  EXPECT_EQ(good({"check", "--format=json"}).format, OutputFormat::json);
  EXPECT_EQ(complaint({"check", "--format=xml"}), "--format: 'xml' is not one of text, json");
  EXPECT_EQ(complaint({"check", "--sampling.frequency=5"}),
            "unknown flag '--sampling.frequency'; see beam_exporter check --help");
}

TEST(CommandLine, Layout) {
  const CommandLine line = good({"layout", "./beam.smp", "--output", "x.yaml"});
  EXPECT_EQ(line.command, Command::layout);
  EXPECT_EQ(line.layout_binary, "./beam.smp");
  EXPECT_EQ(line.layout_output, "x.yaml");
  EXPECT_EQ(good({"layout", "./beam.smp"}).layout_output, "");
  EXPECT_EQ(complaint({"layout"}),
            "layout: name the executable to read: beam_exporter layout BEAM_SMP");
  EXPECT_EQ(complaint({"layout", "a", "b"}), "unexpected 'b'; see beam_exporter layout --help");
}

TEST(CommandLine, HelpMentionsEveryFlagAndCommand) {
  const CommandLine line = good({"--help"});
  EXPECT_EQ(line.command, Command::print);
  settings::for_each_setting(settings::Settings{},
                             [&](const settings::Setting& setting, const auto&, auto...) {
                               if (setting.flag.empty()) return;
                               EXPECT_THAT(line.text, HasSubstr("  " + std::string(setting.flag)));
                               EXPECT_THAT(line.text, HasSubstr(std::string(setting.meaning)));
                             });
  for (const char* other : {"--config.file=FILE", "--check-config", "--once[=SECONDS]", "--version",
                            "-h, --help", "\n  check ", "\n  layout ", "(1..10000; default 99)"})
    EXPECT_THAT(line.text, HasSubstr(other));
  EXPECT_EQ(good({"-h"}).text, line.text);
}

TEST(CommandLine, EachCommandTeachesWithAnExample) {
  const std::string check = good({"check", "--help"}).text;
  EXPECT_THAT(check, HasSubstr("Usage: beam_exporter check [FLAGS]\n"));
  for (const char* flag : {"--target.pid=PID", "--target.match=REGEX", "--layouts.directory=FOLDER",
                           "--format=FORMAT", "\n  beam_exporter check --target.pid=4711"})
    EXPECT_THAT(check, HasSubstr(flag));
  EXPECT_THAT(check, Not(HasSubstr("--web")));
  const std::string layout = good({"layout", "--help"}).text;
  EXPECT_THAT(layout, HasSubstr("Usage: beam_exporter layout [FLAGS] BEAM_SMP\n"));
  for (const char* word :
       {"--output=FILE", "--symbols", "\n  beam_exporter layout ./beam.smp --output "})
    EXPECT_THAT(layout, HasSubstr(word));
}

TEST(CommandLine, VersionIsPrintedAndNothingElseDone) {
  const CommandLine line = good({"--version"});
  EXPECT_EQ(line.command, Command::print);
  EXPECT_THAT(line.text, StartsWith("beam_exporter, version "));
}

}  // namespace
}  // namespace beam_exporter::commands
