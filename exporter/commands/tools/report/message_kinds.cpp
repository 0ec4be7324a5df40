#include "commands/tools/report/message_kinds.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace beam_exporter::commands {

std::string MessageKinds::text(std::uint64_t waiting, bool torn) const {
  const std::string indent(12, ' ');
  std::vector<std::pair<std::string, std::uint64_t>> kinds(by_kind_.begin(), by_kind_.end());
  std::ranges::stable_sort(kinds, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [kind, messages] : kinds)
    text += indent + kind + " x " + std::to_string(messages) + "\n";
  if (messages_ < waiting)
    text += indent + "(the first " + std::to_string(messages_) + " of " + std::to_string(waiting) +
            ")\n";
  if (torn) text += indent + "(the queue changed while it was read: a kind may be wrong)\n";
  return text;
}

}  // namespace beam_exporter::commands
