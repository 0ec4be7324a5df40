#include "attribution/similar_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace beam_exporter::attribution {

namespace {

// Insertions, deletions and replacements that lead from one to the other (Levenshtein, 1965).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> similar_names(std::string_view word, std::vector<std::string> names,
                                       std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> found;
  const std::size_t mistakes = std::max<std::size_t>(2, word.size() / 4);
  for (auto& name : names) {
    const bool contains = name.find(word) != std::string::npos;
    // Lengths that differ by more need not be compared: every symbol of every library comes here.
    const std::size_t longer = std::max(name.size(), word.size()),
                      shorter = std::min(name.size(), word.size());
    if (!contains && longer - shorter > mistakes) continue;
    const std::size_t far = contains ? longer - shorter : distance(word, name);
    if (contains || far <= mistakes) found.emplace_back(far, std::move(name));
  }
  std::ranges::sort(found);
  std::vector<std::string> nearest;
  for (auto& [far, name] : found) {
    if (nearest.size() == most) break;
    if (nearest.empty() || nearest.back() != name) nearest.push_back(std::move(name));
  }
  return nearest;
}

}  // namespace beam_exporter::attribution
