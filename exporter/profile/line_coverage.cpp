#include "profile/line_coverage.h"

#include <algorithm>

namespace beam_exporter::profile {

namespace {

class Counting {
 public:
  explicit Counting(const CoverageOptions& options) : options_(options) {}

  void know(const FunctionLines& function) {
    if (!wanted(function.function)) return;
    for (const SourcePlace& place : function.lines)
      if (CoveredFile* file = file_of(place.file)) file->lines.try_emplace(place.line);
    if (CoveredFile* file = file_of(function.head.file))
      functions_[function.function.text()] = &file->functions[function.function.text()];
    if (const auto known = functions_.find(function.function.text()); known != functions_.end())
      known->second->line = function.head.line;
  }

  // Each line and each function counts once for a sample, whatever recursion does.
  void count(const Profile& profile, const Entry& entry) {
    std::set<std::uint64_t*> seen;
    for (const Index index : profile.stacks[entry.stack]) {
      const Frame& frame = profile.frames[index];
      const Function& function = profile.function_of(index);
      if (function.kind != FunctionKind::erlang || !wanted(function)) continue;
      CoveredFile* file = frame.line != 0 ? file_of(function.file) : nullptr;
      if (file != nullptr) seen.insert(&file->lines[frame.line]);
      if (CoveredFunction* known = known_function(function.text(), file, frame.line))
        seen.insert(&known->samples);
    }
    for (std::uint64_t* samples : seen) *samples += entry.samples;
  }

  LineCoverage finish() { return std::move(coverage_); }

 private:
  bool wanted(const Function& function) const {
    return options_.modules.empty() || options_.modules.contains(function.module);
  }

  CoveredFunction* known_function(const std::string& name, CoveredFile* file, std::uint32_t line) {
    const auto known = functions_.find(name);
    if (known == functions_.end() && file == nullptr) return nullptr;
    if (known == functions_.end()) {  // its module was loaded later
      CoveredFunction& fresh = file->functions[name];
      fresh.line = line;
      headless_.insert(&fresh);
      return functions_[name] = &fresh;
    }
    if (file != nullptr && headless_.contains(known->second))
      known->second->line = std::min(known->second->line, line);
    return known->second;
  }

  CoveredFile* file_of(const std::string& name) {
    const auto [known, fresh] = files_.try_emplace(name);
    if (fresh && !name.empty())
      if (const auto path = options_.path(name)) known->second = &coverage_[*path];
    return known->second;
  }

  const CoverageOptions& options_;
  LineCoverage coverage_;
  std::map<std::string, CoveredFile*> files_;  // by the module's name for it; null: left out
  std::map<std::string, CoveredFunction*> functions_;
  std::set<CoveredFunction*> headless_;  // the line of their head is not known
};

// The format's own separators cannot stand in a name.
std::string without_separators(std::string text) {
  for (char& character : text)
    if (character == ',' || character == '\n') character = '.';
  return text;
}

void write_file(const std::string& path, const CoveredFile& file, std::string& out) {
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  const auto seen = [](const auto& one) { return one.second.samples > 0; };
  out += "TN:\nSF:" + path + "\n";
  for (const auto& [name, function] : file.functions)
    out += "FN:" + number(function.line) + "," + without_separators(name) + "\n";
  for (const auto& [name, function] : file.functions)
    out += "FNDA:" + number(function.samples) + "," + without_separators(name) + "\n";
  out += "FNF:" + number(file.functions.size()) + "\nFNH:" +
         number(static_cast<std::uint64_t>(std::ranges::count_if(file.functions, seen))) + "\n";
  for (const auto& [line, samples] : file.lines)
    out += "DA:" + number(line) + "," + number(samples) + "\n";
  const auto hit = std::ranges::count_if(file.lines, [](auto& one) { return one.second > 0; });
  out += "LF:" + number(file.lines.size()) + "\nLH:" + number(static_cast<std::uint64_t>(hit)) +
         "\nend_of_record\n";
}

}  // namespace

LineCoverage line_coverage(const Profile& profile, const std::vector<FunctionLines>& known,
                           const CoverageOptions& options) {
  Counting counting(options);
  for (const FunctionLines& function : known) counting.know(function);
  for (const Entry& entry : profile.entries) counting.count(profile, entry);
  return counting.finish();
}

std::string lcov(const LineCoverage& coverage) {
  std::string out = "# sampled: 0 means never seen, not never run\n";
  for (const auto& [path, file] : coverage) write_file(path, file, out);
  return out;
}

}  // namespace beam_exporter::profile
