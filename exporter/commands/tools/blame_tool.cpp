#include <nlohmann/json.hpp>
#include <utility>

#include "commands/tools/registry.h"
#include "commands/tools/sampling_flags.h"
#include "commands/tools/share_text.h"
#include "profile/blamed_stacks.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* blame_footer = R"(
FUNCTION is a native function of the VM, of a NIF library or of libc, or a family of them:
  copy_struct      everything that copies terms: messages, ETS, spawn arguments
  garbage_collect  everything that collects garbage
Samples with it anywhere among their C functions count, whatever it called in turn.

Examples:
  beam_exporter blame copy_struct
  beam_exporter blame --duration=30 erts_garbage_collect memcpy

Exit codes: 0 done, 1 failed, or the VM has no such function, or it ended meanwhile, 2 wrong usage.)";

class BlameTool : public Tool {
 public:
  const char* name() const override { return "blame"; }
  const char* meaning() const override { return "Erlang functions for which a native one works"; }
  const char* footer() const override { return blame_footer; }
  std::span<const std::string_view> settings() const override { return settings_of_sampling(); }
  std::vector<Flag> flags() override {
    auto flags = sampling_.flags();
    flags.push_back({"FUNCTION", "", "name 1 to 32 native functions", Words{&functions_, 1, 32}});
    flags.push_back({"--limit", "N", "functions, and stacks, of each", Number{&limit_, 1, 100000}});
    return flags;
  }
  os::Result<int> run(const ToolContext& context) override;

 private:
  void print(const profile::Blame& blame, std::uint64_t samples, std::ostream& out) const;
  nlohmann::ordered_json json(const profile::Blame& blame, std::uint64_t samples) const;

  SamplingFlags sampling_;
  std::vector<std::string> functions_;
  std::int64_t limit_ = 10;
};

os::Result<int> BlameTool::run(const ToolContext& context) {
  const auto profile = sampling_.record(context, functions_);
  if (!profile) return profile.error();
  const auto samples = profile->samples();
  nlohmann::ordered_json all = {{"target", profile->target},
                                {"samples", samples},
                                {"samples_lost", profile->lost},
                                {"natives", nlohmann::ordered_json::array()}};
  if (context.format == OutputFormat::text) context.out << summary(*profile) << "\n";
  for (const auto& function : functions_) {
    const auto blame = profile::blame(*profile, function);
    if (context.format == OutputFormat::text)
      print(blame, samples, context.out);
    else
      all["natives"].push_back(json(blame, samples));
  }
  if (context.format == OutputFormat::json) context.out << all.dump(2) << "\n";
  return profile->ended_early ? 1 : 0;
}

void BlameTool::print(const profile::Blame& blame, std::uint64_t samples, std::ostream& out) const {
  const auto print_parts = [&](const std::vector<profile::Blame::Part>& parts) {
    std::int64_t lines = 0;
    for (const auto& part : parts) {
      if (lines++ == limit_) break;
      out << percent_text(part.samples, samples) << error_text(part.samples, samples) << "  "
          << part.text << "\n";
    }
  };
  out << "\n"
      << blame.native << ": " << percent_text(blame.samples, samples) << " +-"
      << error_text(blame.samples, samples) << " of all samples\n";
  print_parts(blame.functions);
  if (!blame.stacks.empty()) out << "whole stacks:\n";
  print_parts(blame.stacks);
}

nlohmann::ordered_json BlameTool::json(const profile::Blame& blame, std::uint64_t samples) const {
  const auto list = [&](const char* key, const std::vector<profile::Blame::Part>& parts) {
    auto written = nlohmann::ordered_json::array();
    for (const auto& part : parts) {
      if (std::cmp_equal(written.size(), limit_)) break;
      written.push_back({{key, part.text},
                         {"share", share(part.samples, samples)},
                         {"error", profile::share_error(part.samples, samples)}});
    }
    return written;
  };
  return {{"native", blame.native},
          {"share", share(blame.samples, samples)},
          {"error", profile::share_error(blame.samples, samples)},
          {"functions", list("function", blame.functions)},
          {"stacks", list("stack", blame.stacks)}};
}

}  // namespace

std::unique_ptr<Tool> blame_tool() { return std::make_unique<BlameTool>(); }

}  // namespace beam_exporter::commands
