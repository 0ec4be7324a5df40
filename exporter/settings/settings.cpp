#include "settings/settings.h"

#include <algorithm>
#include <any>
#include <type_traits>

#include "settings/setting_list.h"
#include "yaml/document.h"

namespace beam_exporter::settings {
namespace {

template <class T, class... Rule>
void read_value(const yaml::Mapping& section, std::string_view key, T& value, Rule... rule) {
  section.scalar(key, [&](yaml::Scalar scalar) { return set(scalar, value, rule...); });
}

os::Status append(yaml::Scalar scalar, std::vector<std::string>& values, TextRule rule) {
  std::string value;
  auto done = set(scalar, value, rule);
  if (done) values.push_back(std::move(value));
  return done;
}

void read_value(const yaml::Mapping& section, std::string_view key,
                std::vector<std::string>& values, TextRule rule) {
  std::vector<std::string> fresh;
  const bool good = section.items(key, yaml::Mapping::any_count,
                                  [&](yaml::Scalar scalar) { return append(scalar, fresh, rule); });
  if (!good) return;
  // Only what is empty by default may be.
  if (fresh.empty() && !values.empty())
    return section.reject(key, "an empty list; at least one value is needed");
  values = std::move(fresh);
}

template <class T, class... Rule>
os::Status take_flag(const GivenFlag& given, T& value, Rule... rule) {
  if (given.values.size() != 1)
    return bad_value("given " + std::to_string(given.values.size()) +
                     " times, and it takes one value");
  return set({given.values.front()}, value, rule...);
}

os::Status take_flag(const GivenFlag& given, std::vector<std::string>& values, TextRule rule) {
  std::vector<std::string> fresh;
  for (const std::string& text : given.values)
    if (auto done = append({text}, fresh, rule); !done) return done;
  values = std::move(fresh);
  return os::Done{};
}

os::Result<Settings> settings_of(const yaml::Document& document) {
  Settings settings;
  for_each_setting(settings, [&](const Setting& setting, auto& value, auto... rule) {
    const std::size_t dot = setting.key.find('.');
    const auto section = document.root().mapping(setting.key.substr(0, dot));
    read_value(section, setting.key.substr(dot + 1), value, rule...);
  });
  if (const auto done = document.finish(); !done) return done.error();
  return settings;
}

}  // namespace

os::Result<Settings> parse_settings(std::string_view text, const std::string& name) {
  const auto document = yaml::Document::parse(text, name);
  if (!document) return document.error();
  return settings_of(*document);
}

os::Result<Settings> read_settings(const std::string& path) {
  const auto document = yaml::Document::load(path, "config file");
  if (!document) return document.error();
  return settings_of(*document);
}

os::Status apply_flags(const std::vector<GivenFlag>& flags, Settings& settings) {
  os::Status outcome = os::Done{};
  for_each_setting(settings, [&](const Setting& setting, auto& value, auto... rule) {
    const auto given = std::ranges::find(flags, setting.key, &GivenFlag::key);
    if (!outcome || given == flags.end()) return;
    const auto done = take_flag(*given, value, rule...);
    if (!done) outcome = bad_value(given->flag + ": " + done.error().text);
  });
  return outcome;
}

Settings after_reload(const Settings& running, const Settings& fresh) {
  // Both walks visit the same settings in the same order.
  std::vector<std::any> values;
  for_each_setting(fresh,
                   [&](const Setting&, const auto& value, auto...) { values.emplace_back(value); });
  Settings result = running;
  std::size_t at = 0;
  for_each_setting(result, [&](const Setting& setting, auto& value, auto...) {
    using Value = std::remove_reference_t<decltype(value)>;
    if (setting.when == TakesEffect::at_once) value = std::any_cast<const Value&>(values[at]);
    ++at;
  });
  return result;
}

std::vector<std::string> needs_restart(const Settings& old, const Settings& fresh) {
  const auto before = spelled(old);
  const auto after = spelled(fresh);
  std::vector<std::string> keys;
  std::size_t at = 0;
  for_each_setting(old, [&](const Setting& setting, const auto&, auto...) {
    if (setting.when == TakesEffect::at_restart && before[at] != after[at])
      keys.emplace_back(setting.key);
    ++at;
  });
  return keys;
}

std::vector<std::pair<std::string, std::string>> spelled(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for_each_setting(settings, [&](const Setting& setting, const auto& value, auto... rule) {
    pairs.emplace_back(setting.key, text_of(value, rule...));
  });
  return pairs;
}

}  // namespace beam_exporter::settings
