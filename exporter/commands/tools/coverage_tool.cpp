#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "commands/tools/attach.h"
#include "commands/tools/output_file.h"
#include "commands/tools/registry.h"
#include "commands/tools/sampling_flags.h"
#include "commands/tools/share_text.h"
#include "commands/tools/source_files.h"
#include "profile/line_coverage.h"
#include "session/views/loaded_lines.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* coverage_footer = R"(
Samples which lines of the Erlang sources run, and writes that as a tracefile of lcov. The count of a
line or a function is the number of samples that have it on the stack. It is sampled: 0 means "never
seen", not "never run". The lines are those that the loaded modules have in their line tables; BIFs
and code that was compiled without lines have none.

A module names its source as the compiler was told, often without the folder. With --source-root the
paths are those of files beneath that folder, and sources that are not there are left out: genhtml
wants to read them all. Without --output it prints a table of the sources.

Examples:
  beam_exporter coverage --module=shop_cart --module=shop_pricing
  beam_exporter coverage --duration=60 --frequency=999 --source-root=/src/shop --output=shop.info
  genhtml --output-directory=html shop.info

Exit codes: 0 done, 1 failed, or the VM ended meanwhile (what was recorded is written), 2 wrong usage.)";

constexpr const char* meaning_of_zero = "sampled: 0 means never seen, not never run";

struct Seen {
  std::uint64_t lines = 0, functions = 0;
};

Seen seen_of(const profile::CoveredFile& file) {
  const auto count = [](const auto& all, auto seen) {
    return static_cast<std::uint64_t>(std::ranges::count_if(all, seen));
  };
  return {count(file.lines, [](const auto& one) { return one.second > 0; }),
          count(file.functions, [](const auto& one) { return one.second.samples > 0; })};
}

class CoverageTool : public Tool {
 public:
  const char* name() const override { return "coverage"; }
  const char* meaning() const override { return "which source lines run, sampled, as lcov"; }
  const char* footer() const override { return coverage_footer; }
  std::span<const std::string_view> settings() const override { return settings_of_sampling(); }
  std::vector<Flag> flags() override {
    auto flags = sampling_.flags();
    flags.push_back({"--output", "FILE", "write a tracefile of lcov", &output_.path()});
    flags.push_back({"--module", "NAME", "only this module; may be given several times",
                     Words{&modules_, 0, 10000}});
    flags.push_back({"--source-root", "FOLDER", "where the sources are", &source_root_});
    flags.push_back({"--limit", "N", "lines of the table", Number{&limit_, 1, 1000000}});
    return flags;
  }
  os::Status check() override {
    for (auto& module : modules_) beam::drop_elixir(module);
    return os::Done{};
  }
  os::Status prepare() override { return output_.open(); }
  os::Result<int> run(const ToolContext& context) override;

 private:
  os::Result<session::LoadedLines> known_lines(const ToolContext& context, int& pid) const;
  void print(const profile::LineCoverage& coverage, std::ostream& out) const;
  nlohmann::ordered_json json(const profile::LineCoverage& coverage) const;

  SamplingFlags sampling_;
  OutputFile output_;
  std::vector<std::string> modules_;
  std::string source_root_;
  std::int64_t limit_ = 30;
};

os::Result<int> CoverageTool::run(const ToolContext& context) {
  profile::CoverageOptions options{.modules = {modules_.begin(), modules_.end()}};
  std::set<std::string> left_out;
  std::optional<SourceFiles> sources;
  if (!source_root_.empty()) {
    auto found = SourceFiles::beneath(source_root_);
    if (!found) return found.error();
    sources = std::move(*found);
    options.path = [&](const std::string& file) {
      auto path = sources->find(file);
      if (!path) left_out.insert(file);
      return path;
    };
  }
  auto settings = context.settings;
  const auto known = known_lines(context, settings.target.pid);
  if (!known) return known.error();
  const auto profile = sampling_.record({settings, context.layouts, context.format, context.out});
  if (!profile) return profile.error();

  const auto coverage = profile::line_coverage(*profile, known->functions, options);
  if (!known->whole) std::cerr << "beam_exporter: the VM has more lines than are read\n";
  if (!left_out.empty())
    std::cerr << "beam_exporter: " << left_out.size() << " sources are not (or twice) beneath "
              << source_root_ << ", as " << *left_out.begin() << ": left out\n";
  if (output_.wanted()) {
    if (const auto written = output_.write(profile::lcov(coverage)); !written)
      return written.error();
    std::cerr << output_.path() << ": " << summary(*profile) << "; " << meaning_of_zero << "\n";
  } else if (context.format == OutputFormat::json) {
    const nlohmann::ordered_json told = {{"target", profile->target},
                                         {"samples", profile->samples()},
                                         {"samples_lost", profile->lost},
                                         {"remark", meaning_of_zero},
                                         {"sources", json(coverage)}};
    context.out << told.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << "\n";
  } else {
    context.out << summary(*profile) << "\n" << meaning_of_zero << "\n";
    print(coverage, context.out);
  }
  return profile->ended_early ? 1 : 0;
}

// Before the samples: the VM may end meanwhile. Also makes sure that the same VM is sampled.
os::Result<session::LoadedLines> CoverageTool::known_lines(const ToolContext& context,
                                                           int& pid) const {
  const auto attached = attach(context);
  if (!attached) return attached.error();
  if (!attached->vm->code().refresh())
    return os::Error{os::ErrorKind::unreadable, "the VM's code cannot be read now; try again"};
  auto known = session::loaded_lines(*attached->vm, {modules_.begin(), modules_.end()});
  for (const auto& module : modules_)
    if (!known.modules.contains(module))
      return os::Error{os::ErrorKind::not_found, "the VM has loaded no module '" + module + "'"};
  pid = attached->vm->process().pid();
  return known;
}

void CoverageTool::print(const profile::LineCoverage& coverage, std::ostream& out) const {
  out << "       lines    functions\n    seen  known   seen  known  source\n";
  std::int64_t rows = 0;
  for (const auto& [path, file] : coverage) {
    if (rows++ == limit_) break;
    const auto seen = seen_of(file);
    out << text::printed("%8llu %6zu %6llu %6zu  ", static_cast<unsigned long long>(seen.lines),
                         file.lines.size(), static_cast<unsigned long long>(seen.functions),
                         file.functions.size())
        << path << "\n";
  }
}

nlohmann::ordered_json CoverageTool::json(const profile::LineCoverage& coverage) const {
  auto sources = nlohmann::ordered_json::array();
  for (const auto& [path, file] : coverage) {
    if (std::cmp_equal(sources.size(), limit_)) break;
    const auto seen = seen_of(file);
    sources.push_back({{"source", path},
                       {"lines", file.lines.size()},
                       {"lines_seen", seen.lines},
                       {"functions", file.functions.size()},
                       {"functions_seen", seen.functions}});
  }
  return sources;
}

}  // namespace

std::unique_ptr<Tool> coverage_tool() { return std::make_unique<CoverageTool>(); }

}  // namespace beam_exporter::commands
