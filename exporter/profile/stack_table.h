#pragma once

#include <optional>
#include <span>
#include <unordered_map>

#include "profile/profile.h"

namespace beam_exporter::profile {

// Gives a small number to each different function, frame, stack and set of labels. The table is
// bounded, because a VM may run new code all the time. One thread.
class StackTable {
 public:
  static constexpr std::size_t most_functions = 32768, most_frames = 65536, most_stacks = 16384,
                               most_labels = 8192;
  // The sum over all stacks; 4 bytes each. This bounds the memory.
  static constexpr std::size_t most_stack_frames = 1 << 20;

  // Of one stack: who draws a stack calls itself for each frame. A sampled one has fewer.
  static constexpr std::size_t most_depth = 4096;

  // nullopt: the table is full, or the stack too deep.
  std::optional<Index> frame(const Function& function, std::uint32_t line);
  std::optional<Index> stack(std::span<const Index> innermost_first);
  std::optional<Index> labels(const Labels& labels);

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Frame>& frames() const { return frames_; }
  const std::vector<std::vector<Index>>& stacks() const { return stacks_; }
  const std::vector<Labels>& all_labels() const { return labels_; }

 private:
  struct Hash {
    std::size_t operator()(const Function& function) const;
    std::size_t operator()(const Frame& frame) const;
    std::size_t operator()(const std::vector<Index>& stack) const;
    std::size_t operator()(const Labels& labels) const;
  };
  template <class T>
  using Known = std::unordered_map<T, Index, Hash>;
  template <class T>
  static std::optional<Index> intern(const T& value, std::vector<T>& all, Known<T>& known,
                                     std::size_t most);

  std::vector<Function> functions_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Index>> stacks_;
  std::vector<Labels> labels_;
  Known<Function> known_functions_;
  Known<Frame> known_frames_;
  Known<std::vector<Index>> known_stacks_;
  Known<Labels> known_labels_;
  std::size_t stack_frames_ = 0;
  std::vector<Index> scratch_;
};

}  // namespace beam_exporter::profile
