#include "profile/blamed_stacks.h"

#include <algorithm>
#include <map>

namespace beam_exporter::profile {

namespace {

std::string text_of(const Profile& profile, const std::vector<Index>& stack) {
  std::string text;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame)
    text += (text.empty() ? "" : ";") + profile.function_of(*frame).text();
  return text;
}

// Every stack ends in an Erlang function or in what no function asked for.
std::string top_of(const Profile& profile, const std::vector<Index>& stack) {
  for (const Index frame : stack) {
    const Function& function = profile.function_of(frame);
    if (function.kind != FunctionKind::native && function.kind != FunctionKind::bif)
      return function.text();
  }
  return "[unknown]";
}

bool is_work_of(const Labels& labels, const std::string& native) {
  return std::find(labels.natives.begin(), labels.natives.end(), native) != labels.natives.end();
}

std::vector<Blame::Part> sorted(const std::map<std::string, std::uint64_t>& samples) {
  std::vector<Blame::Part> parts;
  parts.reserve(samples.size());
  for (const auto& [text, count] : samples) parts.push_back({text, count});
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Blame::Part::samples);
  return parts;
}

}  // namespace

Blame blame(const Profile& profile, const std::string& native) {
  Blame blame{.native = native};
  std::map<std::string, std::uint64_t> functions, stacks;
  for (const Entry& entry : profile.entries) {
    if (!is_work_of(profile.labels[entry.labels], native)) continue;
    blame.samples += entry.samples;
    functions[top_of(profile, profile.stacks[entry.stack])] += entry.samples;
    stacks[text_of(profile, profile.stacks[entry.stack])] += entry.samples;
  }
  blame.functions = sorted(functions);
  blame.stacks = sorted(stacks);
  return blame;
}

}  // namespace beam_exporter::profile
