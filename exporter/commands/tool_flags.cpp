#include "commands/tool_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "settings/setting_value.h"

namespace beam_exporter::commands {

namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::string range_of(const Number& number) {
  return std::to_string(number.least) + ".." + std::to_string(number.most) + "; default " +
         std::to_string(*number.value);
}

std::string meaning_of(const Flag& flag) {
  if (const auto* number = std::get_if<Number>(&flag.target))
    return flag.meaning + " (" + range_of(*number) + ")";
  if (const auto* choice = std::get_if<Choice>(&flag.target))
    return flag.meaning + " (" + joined(choice->allowed) + "; default " + *choice->value + ")";
  return flag.meaning;
}

}  // namespace

ToolFlags::ToolFlags(Tool& tool, CLI::App& app) : tool_(&tool), app_(&app) {
  for (Flag& flag : tool.flags()) {
    auto& registered = flags_.emplace_back(Registered{std::move(flag), {}});
    const std::string name(registered.flag.name);
    const std::string meaning = meaning_of(registered.flag);
    if (auto* const* flag_switch = std::get_if<bool*>(&registered.flag.target)) {
      app.add_flag(name, **flag_switch, meaning);
      continue;
    }
    CLI::Option* option = app.add_option(name, registered.given, meaning);
    const bool many = std::holds_alternative<Words>(registered.flag.target);
    option->type_name(std::string(registered.flag.value_name));
    if (!many) option->expected(1);
    if (!many || name.starts_with("--")) option->allow_extra_args(false);  // one for each --name
  }
}

os::Status ToolFlags::read() {
  for (const auto& registered : flags_)
    if (auto taken = take(registered); !taken) return taken;
  return tool_->check();
}

os::Status ToolFlags::take(const Registered& registered) {
  const auto& flag = registered.flag;
  const auto& given = registered.given;
  const auto refused = [&](const std::string& why) -> os::Status {
    return settings::bad_value(std::string(flag.name) + ": " + why);
  };
  if (const auto* words = std::get_if<Words>(&flag.target)) {
    if (given.size() < words->least || given.size() > words->most)
      return settings::bad_value(std::string(tool_->name()) + ": " + flag.meaning +
                                 "; see beam_exporter " + tool_->name() + " --help");
    *words->values = given;
    return os::Done{};
  }
  if (given.empty()) return os::Done{};
  if (auto* const* text = std::get_if<std::string*>(&flag.target)) {
    if (given.front().empty()) return refused("needs a value");
    **text = given.front();
  } else if (const auto* number = std::get_if<Number>(&flag.target)) {
    const auto done = yaml::convert({given.front()}, *number->value, {number->least, number->most});
    if (!done) return refused(done.error().text);
  } else if (const auto* choice = std::get_if<Choice>(&flag.target)) {
    if (std::ranges::find(choice->allowed, given.front()) == choice->allowed.end())
      return refused(yaml::shown(given.front()) + " is not one of " + joined(choice->allowed));
    *choice->value = given.front();
  }
  return os::Done{};
}

}  // namespace beam_exporter::commands
