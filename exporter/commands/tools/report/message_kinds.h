#pragma once

#include <cstdint>
#include <map>
#include <string>

// Counts the first messages of one process by kind. Pure.
namespace beam_exporter::commands {

class MessageKinds {
 public:
  void add(const std::string& kind) {
    ++by_kind_[kind];
    ++messages_;
  }
  // A line for each kind, the most frequent first: "            {'$gen_call',...}/3 x 98". Then how
  // many of the `waiting` messages these were, if not all, and, if `torn`, that the queue changed.
  std::string text(std::uint64_t waiting, bool torn) const;

 private:
  std::map<std::string, std::uint64_t> by_kind_;
  std::uint64_t messages_ = 0;
};

}  // namespace beam_exporter::commands
