#include "settings/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "settings/setting_list.h"
#include "yaml/document.h"

namespace beam_exporter::settings {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What every setting is when nothing is at its default, but web.config_file, which has no other
// good value yet.
Settings unusual() {
  using std::chrono::milliseconds;
  Settings s;
  s.target = {4711, "shop"};
  s.sampling = {SourceChoice::perf, 499};
  s.functions = {10, 20};
  s.blame = {{"memcpy", "copy_struct"}, 30};
  s.processes.top = 40;
  s.growth = {true, 50};
  s.snapshot.interval = std::chrono::milliseconds{1500};
  s.memory = {false, milliseconds{100}, false, false, milliseconds{1000}};
  s.process_scan = {false, milliseconds{200}, 3};
  s.vitals = {false, milliseconds{300}};
  s.layouts.directory = "/etc/layouts";
  s.builds = {"/etc/builds", "https://d.example http://e", {"E=r13"}};
  s.web = {{":1", "[::1]:2"}, "/m", "", 7, true};
  s.log = {log::Level::error, log::Format::json};
  return s;
}

const char* const unusual_text = R"(
target: {pid: 4711, match: shop}
sampling: {source: perf, frequency: 499}
functions: {top: 10, inclusive_top: 20}
blame: {functions: [memcpy, copy_struct], top: 30}
processes: {top: 40}
growth: {enabled: true, top: 50}
snapshot: {interval: 1s500ms}
memory:
  enabled: false
  interval: 100ms
  instances: false
  carriers: false
  carrier_interval: 1s
process_scan: {enabled: false, interval: 200ms, top: 3}
vitals: {enabled: false, interval: 300ms}
layouts: {directory: /etc/layouts}
builds: {directory: /etc/builds, debuginfod_urls: "https://d.example http://e", force_registers: ["E=r13"]}
web:
  listen_addresses: [":1", "[::1]:2"]
  telemetry_path: /m
  config_file: ""
  max_requests: 7
  disable_exporter_metrics: true
log: {level: error, format: json}
)";

const std::string shipped_path = std::string(SOURCE_DIR) + "/config/beam_exporter.yaml";

std::string shipped_text() {
  std::ifstream file(shipped_path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string complaint(std::string_view text) {
  const auto settings = parse_settings(text, "f.yaml");
  return settings ? "" : settings.error().text;
}

TEST(Settings, AnEmptyFileIsTheDefaults) {
  const auto settings = parse_settings("", "f.yaml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, Settings{});
}

TEST(Settings, ReadsEveryKey) {
  const auto settings = parse_settings(unusual_text, "f.yaml");
  ASSERT_TRUE(settings) << settings.error().text;
  EXPECT_EQ(*settings, unusual());
}

TEST(Settings, EverySettingOfTheListIsInTheTestsAbove) {
  const auto defaults = spelled(Settings{});
  const auto changed = spelled(unusual());
  ASSERT_EQ(defaults.size(), changed.size());
  for (std::size_t at = 0; at < defaults.size(); ++at)
    EXPECT_TRUE(defaults[at] != changed[at] || defaults[at].first == "web.config_file")
        << "unusual() lacks " << defaults[at].first;
}

TEST(Settings, KeysAndFlagsAreUnique) {
  std::set<std::string_view> keys, flags;
  for_each_setting(Settings{}, [&](const Setting& setting, const auto&, auto...) {
    EXPECT_TRUE(keys.insert(setting.key).second) << setting.key;
    EXPECT_TRUE(setting.flag.empty() || flags.insert(setting.flag).second) << setting.flag;
    EXPECT_FALSE(setting.meaning.empty()) << setting.key;
  });
}

TEST(Settings, TheShippedFileIsTheDefaults) {
  const auto settings = read_settings(shipped_path);
  ASSERT_TRUE(settings) << settings.error().text;
  EXPECT_EQ(*settings, Settings{});
}

TEST(Settings, TheShippedFileShowsEveryKey) {
  const auto document = yaml::Document::load(shipped_path, "file");
  ASSERT_TRUE(document) << document.error().text;
  for (const auto& [key, value] : spelled(Settings{})) {
    const auto dot = key.find('.');
    EXPECT_TRUE(document->root().mapping(key.substr(0, dot)).has(key.substr(dot + 1))) << key;
  }
}

// The comment above a key says "(restart)" when, and only when, a reload does not change it.
TEST(Settings, TheShippedFileSaysWhatNeedsARestart) {
  std::map<std::string, bool> said;
  std::istringstream lines(shipped_text());
  std::string section, comment;
  for (std::string line; std::getline(lines, line);) {
    const auto start = line.find_first_not_of(' ');
    if (start == std::string::npos) continue;
    if (line[start] == '#') {
      comment += line;
      continue;
    }
    const std::string key = line.substr(start, line.find(':') - start);
    if (start == 0)
      section = key;
    else
      said[section + "." + key] = comment.find("(restart)") != std::string::npos;
    EXPECT_TRUE(start == 0 || !comment.empty()) << key << " has no comment";
    comment.clear();
  }
  for_each_setting(Settings{}, [&](const Setting& setting, const auto&, auto...) {
    ASSERT_TRUE(said.contains(std::string(setting.key))) << setting.key;
    EXPECT_EQ(said[std::string(setting.key)], setting.when == TakesEffect::at_restart)
        << setting.key;
  });
}

TEST(Settings, ErrorsNameFileLineKeyValueAndRange) {
  EXPECT_EQ(complaint("sampling:\n  frequency: 0\n"),
            "f.yaml:2: sampling.frequency: 0 is outside 1..10000");
  EXPECT_EQ(complaint("sampling:\n  source: magic\n"),
            "f.yaml:2: sampling.source: 'magic' is not one of auto, ebpf, tick, perf");
  EXPECT_EQ(complaint("snapshot: {interval: 1h}\n"),
            "f.yaml:1: snapshot.interval: 1h is outside 100ms..1m");
  EXPECT_EQ(complaint("snapshot: {interval: 5}\n"),
            "f.yaml:1: snapshot.interval: '5' is not a duration such as 500ms or 10s in 100ms..1m");
  EXPECT_THAT(complaint("target:\n  match: '('\n"),
              HasSubstr("f.yaml:2: target.match: '(' is not a regular expression"));
  EXPECT_THAT(complaint("web:\n  listen_addresses:\n  - :1\n  - nowhere\n"),
              HasSubstr("f.yaml:4: web.listen_addresses: 'nowhere' is not an address"));
  EXPECT_EQ(complaint("web: {listen_addresses: []}"),
            "f.yaml:1: web.listen_addresses: an empty list; at least one value is needed");
  EXPECT_THAT(complaint("web:\n  telemetry_path: /-/x\n"),
              HasSubstr("f.yaml:2: web.telemetry_path: '/-/x' is in /-/"));
  EXPECT_EQ(complaint("web:\n  config_file: web.yaml\n"),
            "f.yaml:2: web.config_file: TLS and basic auth are not supported yet; leave it out");
  EXPECT_EQ(complaint("web: {disable_exporter_metrics: yes}"),
            "f.yaml:1: web.disable_exporter_metrics: 'yes' is not true or false");
}

TEST(Settings, UnknownAndDuplicateKeysAreErrors) {
  EXPECT_EQ(complaint("sampling:\n  frequencyy: 5\n"),
            "f.yaml:2: unknown key 'frequencyy' in 'sampling'; known keys: source, frequency");
  EXPECT_THAT(complaint("samplin:\n  frequency: 5\n"),
              HasSubstr("f.yaml:1: unknown key 'samplin'; known keys: target, sampling, "));
  EXPECT_EQ(complaint("log:\n  level: info\n  level: warn\n"),
            "f.yaml:3: key 'level' is there twice, first on line 2");
  EXPECT_THAT(complaint("log: [\n"), HasSubstr("f.yaml:"));
}

TEST(Settings, NeedsRestartNamesTheKeysThatOnlyCountAtStart) {
  EXPECT_THAT(needs_restart(Settings{}, Settings{}), IsEmpty());

  Settings live;
  live.functions = {7, 8};
  live.sampling.frequency = 199;
  live.log = {log::Level::debug, log::Format::json};
  EXPECT_THAT(needs_restart(Settings{}, live), IsEmpty());

  Settings mixed = live;
  mixed.web.listen_addresses = {":10125", ":10126"};
  mixed.target.pid = 1;
  EXPECT_THAT(needs_restart(Settings{}, mixed), ElementsAre("target.pid", "web.listen_addresses"));
  EXPECT_THAT(needs_restart(mixed, Settings{}), ElementsAre("target.pid", "web.listen_addresses"));
  EXPECT_THAT(needs_restart(live, mixed), ElementsAre("target.pid", "web.listen_addresses"));
}

// One setting after the other: it alone is changed, and must come when, and only when, it says so.
TEST(Settings, AReloadTakesEverySettingThatSaysAtOnceAndNoOther) {
  const auto defaults = spelled(Settings{});
  const auto changed = spelled(unusual());
  const auto reloaded = spelled(after_reload(Settings{}, unusual()));
  std::size_t at = 0;
  for_each_setting(Settings{}, [&](const Setting& setting, const auto&, auto...) {
    const bool comes = setting.when == TakesEffect::at_once;
    EXPECT_EQ(reloaded[at], comes ? changed[at] : defaults[at]) << setting.key;
    ++at;
  });
  EXPECT_EQ(needs_restart(after_reload(Settings{}, unusual()), unusual()),
            needs_restart(Settings{}, unusual()));
}

}  // namespace
}  // namespace beam_exporter::settings
