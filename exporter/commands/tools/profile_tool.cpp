#include <iostream>
#include <nlohmann/json.hpp>

#include "commands/tools/output_file.h"
#include "commands/tools/registry.h"
#include "commands/tools/sampling_flags.h"
#include "commands/tools/share_text.h"
#include "profile/formats/flame_page.h"
#include "profile/formats/flame_svg.h"
#include "profile/formats/flame_tree.h"
#include "profile/formats/pprof.h"
#include "profile/function_times.h"
#include "text/gzip.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* profile_footer = R"(
Records the stacks of the VM's threads: C functions on top of Erlang ones. The name of --output says
which format is written:
  .pb.gz   pprof: go tool pprof, Pyroscope, Grafana, speedscope
  .html    a flame graph, as a page for any browser
  .svg     the same as a picture; its script is in it
  .folded  one line for each stack: flamegraph.pl, speedscope
With --include-kernel the functions of the Linux kernel that ran are on top, as "vfs_read_[k]": what a
file, a socket or the memory of the VM costs there.
Without --output it prints the functions that used most CPU time. Ctrl-C ends it early, with what
was recorded until then.

Examples:
  beam_exporter profile
  beam_exporter profile --duration=30 --frequency=999 --output=shop.html
  beam_exporter profile --include-kernel --output=shop.html
  beam_exporter profile --output=shop.pb.gz && go tool pprof -top shop.pb.gz

Exit codes: 0 done, 1 failed, or the VM ended meanwhile (what was recorded is written), 2 wrong usage.)";

class ProfileTool : public Tool {
 public:
  const char* name() const override { return "profile"; }
  const char* meaning() const override {
    return "record stacks; write pprof, a flame graph, or a table";
  }
  const char* footer() const override { return profile_footer; }
  std::span<const std::string_view> settings() const override { return settings_of_sampling(); }
  std::vector<Flag> flags() override {
    auto flags = sampling_.flags();
    flags.push_back(sampling_.include_kernel());
    flags.push_back({"--output", "FILE", "write to this file: .pb.gz, .html, .svg or .folded",
                     &output_.path()});
    flags.push_back({"--limit", "N", "lines of the table", Number{&limit_, 1, 100000}});
    return flags;
  }
  os::Status check() override {
    for (const std::string_view ending : {".pb.gz", ".html", ".svg", ".folded"})
      if (!output_.wanted() || output_.ends_with(ending)) return os::Done{};
    return os::Error{
        os::ErrorKind::invalid_argument,
        "--output: '" + output_.path() + "' does not end in .pb.gz, .html, .svg or .folded"};
  }
  os::Status prepare() override {
    sampling_.read_kernel_symbols();
    return output_.open();
  }
  os::Result<int> run(const ToolContext& context) override;

 private:
  os::Status write(const profile::Profile& profile);
  void print(const profile::Profile& profile, std::ostream& out) const;
  void print_json(const profile::Profile& profile, std::ostream& out) const;

  SamplingFlags sampling_;
  OutputFile output_;
  std::int64_t limit_ = 30;
};

os::Result<int> ProfileTool::run(const ToolContext& context) {
  const auto profile = sampling_.record(context);
  if (!profile) return profile.error();
  if (output_.wanted()) {
    if (const auto written = write(*profile); !written) return written.error();
    std::cerr << output_.path() << ": " << summary(*profile) << "\n";
  } else if (context.format == OutputFormat::json) {
    print_json(*profile, context.out);
  } else {
    print(*profile, context.out);
  }
  return profile->ended_early ? 1 : 0;
}

os::Status ProfileTool::write(const profile::Profile& profile) {
  std::string bytes;
  if (output_.ends_with(".svg")) {
    bytes = profile::flame_svg(profile);
  } else if (output_.ends_with(".html")) {
    bytes = profile::flame_page("Flame graph of " + profile.target, profile::flame_svg(profile));
  } else if (output_.ends_with(".folded")) {
    bytes = profile::folded(profile);
  } else {
    auto compressed = text::gzipped(profile::pprof(profile));
    if (!compressed) return os::Error{os::ErrorKind::system, "no memory to compress the profile"};
    bytes = std::move(*compressed);
  }
  return output_.write(bytes);
}

void ProfileTool::print(const profile::Profile& profile, std::ostream& out) const {
  const auto samples = profile.samples();
  out << summary(profile) << "\n";
  out << "    self  +-     incl  function\n";
  std::int64_t lines = 0;
  for (const auto& time : profile::function_times(profile)) {
    if (lines++ == limit_) break;
    out << percent_text(time.self, samples) << error_text(time.self, samples) << "  "
        << percent_text(time.inclusive, samples) << "  " << time.function.text() << "\n";
  }
}

void ProfileTool::print_json(const profile::Profile& profile, std::ostream& out) const {
  const auto samples = profile.samples();
  nlohmann::ordered_json json = {{"target", profile.target},
                                 {"duration_seconds", seconds(profile.duration)},
                                 {"period_seconds", seconds(profile.period)},
                                 {"samples", samples},
                                 {"samples_lost", profile.lost},
                                 {"cpu_seconds", seconds(profile.cpu_time())},
                                 {"ended_early", profile.ended_early},
                                 {"functions", nlohmann::ordered_json::array()}};
  std::int64_t lines = 0;
  for (const auto& time : profile::function_times(profile)) {
    if (lines++ == limit_) break;
    json["functions"].push_back({{"function", time.function.text()},
                                 {"self", share(time.self, samples)},
                                 {"self_error", profile::share_error(time.self, samples)},
                                 {"inclusive", share(time.inclusive, samples)}});
  }
  out << json.dump(2) << "\n";
}

}  // namespace

std::unique_ptr<Tool> profile_tool() { return std::make_unique<ProfileTool>(); }

}  // namespace beam_exporter::commands
