#include "profile/process_profile.h"

#include <algorithm>
#include <map>

namespace beam_exporter::profile {

std::string frame_text(const Function& function, std::uint32_t line) {
  if (function.kind == FunctionKind::other && function.name == frames_left_out)
    return "... " + function.name + " ...";
  return line == 0 ? function.text()
                   : function.text() + " (" + function.file + ":" + std::to_string(line) + ")";
}

namespace {

bool has_stack(const ProcessProfile& profile, Index stack) {
  const auto& frames = profile.stacks[stack];
  return frames.size() > 1 ||
         (frames.size() == 1 && profile.function_of(frames.front()).kind != FunctionKind::other);
}

}  // namespace

std::vector<ProcessGroup> process_groups(const ProcessProfile& profile, ProcessOrder order) {
  std::map<Index, ProcessGroup> by_stack;
  for (const ProcessEntry& entry : profile.entries) {
    if (!has_stack(profile, entry.stack)) continue;
    auto& group = by_stack[entry.stack];
    group.processes += entry.processes;
    group.heap_bytes += entry.heap_bytes;
  }
  std::vector<ProcessGroup> groups;
  groups.reserve(by_stack.size());
  for (auto& [stack, group] : by_stack) {
    for (const Index frame : profile.stacks[stack])
      group.frames.push_back(frame_text(profile.function_of(frame), profile.frames[frame].line));
    groups.push_back(std::move(group));
  }
  const auto size =
      order == ProcessOrder::heap ? &ProcessGroup::heap_bytes : &ProcessGroup::processes;
  std::ranges::sort(groups, [size](const ProcessGroup& a, const ProcessGroup& b) {
    return a.*size != b.*size ? a.*size > b.*size : a.frames < b.frames;
  });
  return groups;
}

std::string process_text(const ProcessProfile& profile, ProcessOrder order, std::size_t limit) {
  const auto groups = process_groups(profile, order);
  const auto number = [](auto value) { return std::to_string(value); };
  std::string text = number(profile.processes) + " processes, " + number(groups.size()) +
                     " different stacks, " + number(profile.running) + " running";
  if (profile.without_stack > 0)
    text += ", " + number(profile.without_stack) + " without a stack (they hibernate, or begin)";
  if (profile.torn > 0) text += ", " + number(profile.torn) + " ran or ended while they were read";
  if (profile.lost > 0) text += ", " + number(profile.lost) + " with one stack too many to keep";
  text += "\n";
  for (std::size_t k = 0; k < groups.size() && k < limit; ++k) {
    text += "\n" + number(groups[k].processes) + " processes";
    if (order == ProcessOrder::heap) text += ", " + number(groups[k].heap_bytes) + " bytes of heap";
    text += "\n";
    for (const auto& frame : groups[k].frames) text += "    " + frame + "\n";
  }
  return text;
}

}  // namespace beam_exporter::profile
