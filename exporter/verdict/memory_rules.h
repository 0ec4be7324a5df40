#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/memory_facts.h"

namespace beam_exporter::verdict {

// One thing that a rule looks at: an allocator, a process, a part of the memory.
struct Sight {
  std::string subject;                       // "binary_alloc", "<0.42.0> shop_server"
  double bytes = 0;                          // what a finding would be about
  double measure = 0;                        // what the rule compares with its threshold
  std::map<std::string, std::string> words;  // for the {names} in the rule's texts
};

// A rule is data. It fires for a sight whose measure and bytes reach what the rule asks for.
struct MemoryRule {
  std::string_view name;
  std::vector<Sight> (*look)(const MemoryFacts& facts);
  std::string_view measure;  // what `look` measures
  double threshold;          // fires from here on
  std::string_view reason;   // why this threshold
  double least_share;        // of resident memory, in `bytes`; smaller is not worth a change
  double least_bytes;
  // With {subject}, {bytes}, {percent} and the words of the sight.
  std::string_view text;
  std::string_view advice;
  std::string_view source;  // the official document, or the file and release of ERTS
  bool urgent = false;      // before all others
};

std::span<const MemoryRule> memory_rules();

struct Finding {
  const MemoryRule* rule;
  Sight sight;
  std::string text, advice;  // filled in
};

// The findings: urgent ones first, then the largest bytes. Empty: nothing to mend. Pure.
std::vector<Finding> judge(const MemoryFacts& facts,
                           std::span<const MemoryRule> rules = memory_rules());

}  // namespace beam_exporter::verdict
