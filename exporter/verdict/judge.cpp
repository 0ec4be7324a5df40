#include <algorithm>

#include "text/bytes.h"
#include "text/printed.h"
#include "verdict/memory_rules.h"

namespace beam_exporter::verdict {

namespace {

// Replaces each {name} that has a word; other braces are Erlang's.
std::string filled(std::string_view pattern, const std::map<std::string, std::string>& words) {
  std::string out;
  for (;;) {
    const auto close = pattern.find('}');
    if (close == std::string_view::npos) return out += pattern;
    const auto open = pattern.rfind('{', close);
    const auto word = open == std::string_view::npos
                          ? words.end()
                          : words.find(std::string(pattern.substr(open + 1, close - open - 1)));
    out += word == words.end() ? std::string(pattern.substr(0, close + 1))
                               : std::string(pattern.substr(0, open)) + word->second;
    pattern.remove_prefix(close + 1);
  }
}

}  // namespace

std::vector<Finding> judge(const MemoryFacts& facts, std::span<const MemoryRule> rules) {
  std::vector<Finding> findings;
  for (const auto& rule : rules) {
    for (auto& sight : rule.look(facts)) {
      if (sight.measure < rule.threshold || sight.bytes < rule.least_bytes ||
          sight.bytes < rule.least_share * facts.resident)
        continue;
      const double share = facts.resident > 0 ? sight.bytes / facts.resident : 0;
      sight.words.insert({{"subject", sight.subject},
                          {"bytes", text::bytes_text(sight.bytes)},
                          {"percent", text::printed("%.0f %%", 100 * share)}});
      findings.push_back(
          {&rule, sight, filled(rule.text, sight.words), filled(rule.advice, sight.words)});
    }
  }
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    if (a.rule->urgent != b.rule->urgent) return a.rule->urgent;
    return a.sight.bytes > b.sight.bytes;
  });
  return findings;
}

}  // namespace beam_exporter::verdict
