#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "profile/profile.h"

// Which lines of Erlang sources were seen running. Sampled: a line that was never seen may have run
// all the same.
namespace beam_exporter::profile {

struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
};

// A function as the line table of its module has it.
struct FunctionLines {
  Function function;
  SourcePlace head;
  std::vector<SourcePlace> lines;  // in any order; the head is one of them
};

struct CoveredFunction {
  std::uint32_t line = 0;     // of its head; when that is not known, the first line that was seen
  std::uint64_t samples = 0;  // with the function anywhere on the stack
};
struct CoveredFile {
  std::map<std::uint32_t, std::uint64_t> lines;      // samples with the line anywhere on the stack
  std::map<std::string, CoveredFunction> functions;  // by Function::text()
};
using LineCoverage = std::map<std::string, CoveredFile>;  // by the path of the source

struct CoverageOptions {
  std::set<std::string> modules;  // those wanted; all when empty
  // The path of the source that a module names so; nullopt: leave it out.
  std::function<std::optional<std::string>(const std::string& file)> path =
      [](const std::string& file) { return std::optional(file); };
};

// All lines of `known` and all lines that were sampled.
LineCoverage line_coverage(const Profile& profile, const std::vector<FunctionLines>& known,
                           const CoverageOptions& options);

// As a tracefile of lcov (geninfo(1), version 1.16).
std::string lcov(const LineCoverage& coverage);

}  // namespace beam_exporter::profile
