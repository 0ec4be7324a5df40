#include "profile/stack_table.h"

#include <functional>

namespace beam_exporter::profile {

namespace {

template <class T>
void mix(std::size_t& seed, const T& value) {
  seed ^= std::hash<T>{}(value) + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
}

}  // namespace

std::size_t StackTable::Hash::operator()(const Function& function) const {
  std::size_t seed = static_cast<std::size_t>(function.kind);
  mix(seed, function.module);
  mix(seed, function.name);
  return seed;
}

std::size_t StackTable::Hash::operator()(const Frame& frame) const {
  return std::hash<std::uint64_t>{}(std::uint64_t{frame.function} << 32 | frame.line);
}

std::size_t StackTable::Hash::operator()(const std::vector<Index>& stack) const {
  std::size_t seed = stack.size();
  for (const Index frame : stack) mix(seed, frame);
  return seed;
}

std::size_t StackTable::Hash::operator()(const Labels& labels) const {
  std::size_t seed = static_cast<std::size_t>(labels.number);
  mix(seed, labels.thread);
  mix(seed, labels.state);
  mix(seed, labels.process);
  for (const auto& native : labels.natives) mix(seed, native);
  return seed;
}

template <class T>
std::optional<Index> StackTable::intern(const T& value, std::vector<T>& all, Known<T>& known,
                                        std::size_t most) {
  if (const auto found = known.find(value); found != known.end()) return found->second;
  if (all.size() >= most) return std::nullopt;
  const auto index = static_cast<Index>(all.size());
  all.push_back(value);
  known.emplace(value, index);
  return index;
}

std::optional<Index> StackTable::frame(const Function& function, std::uint32_t line) {
  const auto index = intern(function, functions_, known_functions_, most_functions);
  if (!index) return std::nullopt;
  return intern(Frame{*index, line}, frames_, known_frames_, most_frames);
}

std::optional<Index> StackTable::stack(std::span<const Index> innermost_first) {
  if (innermost_first.size() > most_depth) return std::nullopt;
  scratch_.assign(innermost_first.begin(), innermost_first.end());
  const auto before = stacks_.size();
  const auto room = stack_frames_ + scratch_.size() <= most_stack_frames ? most_stacks : 0;
  const auto index = intern(scratch_, stacks_, known_stacks_, room);
  if (stacks_.size() > before) stack_frames_ += scratch_.size();
  return index;
}

std::optional<Index> StackTable::labels(const Labels& labels) {
  return intern(labels, labels_, known_labels_, most_labels);
}

}  // namespace beam_exporter::profile
