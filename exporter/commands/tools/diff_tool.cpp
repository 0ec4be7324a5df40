#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/tools/output_file.h"
#include "commands/tools/registry.h"
#include "commands/tools/share_text.h"
#include "profile/difference.h"
#include "profile/formats/difference_svg.h"
#include "profile/formats/flame_page.h"
#include "profile/formats/pprof.h"
#include "text/gzip.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* diff_footer = R"(
BEFORE and AFTER are files of `profile --output=x.pb.gz`, or of /debug/pprof/profile. Times are CPU
milliseconds per second of the recording, so that recordings of different length compare. A change
that is smaller than its +- may be chance alone, and has a ? behind it.

--output=x.html (or x.svg) draws it as a flame graph: the width of a frame is its time in AFTER; red
says that it uses more than before, without what it calls, blue that it uses less, grey that it may
be chance.

Examples:
  beam_exporter diff monday.pb.gz tuesday.pb.gz
  beam_exporter diff --output=changed.html monday.pb.gz tuesday.pb.gz
  beam_exporter diff --limit=5 --format=json before.pb.gz after.pb.gz

Exit codes: 0 done, 1 a file cannot be read or is no profile, 2 wrong usage.)";

// A profile of this program has some hundred KiB.
constexpr std::size_t most_profile_bytes = std::size_t{256} << 20;

os::Result<profile::Profile> read_profile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) return os::Error{os::ErrorKind::not_found, path + ": cannot be read"};
  const std::string text = std::move(bytes).str();
  const auto plain = text::gunzipped(text, most_profile_bytes);
  auto profile = profile::read_pprof(plain ? *plain : text);
  if (!profile) return os::Error{profile.error().kind, path + ": " + profile.error().text};
  return profile;
}

class DiffTool : public Tool {
 public:
  const char* name() const override { return "diff"; }
  const char* meaning() const override { return "which functions use more or less than before"; }
  const char* footer() const override { return diff_footer; }
  std::span<const std::string_view> settings() const override { return {}; }
  std::vector<Flag> flags() override {
    return {
        {"PROFILES", "", "name two profiles, BEFORE and AFTER", Words{&files_, 2, 2}},
        {"--output", "FILE", "draw a flame graph into this .svg or .html file", &output_.path()},
        {"--limit", "N", "how many functions", Number{&limit_, 1, 100000}}};
  }
  os::Status check() override {
    if (!output_.wanted() || output_.ends_with(".svg") || output_.ends_with(".html"))
      return os::Done{};
    return os::Error{os::ErrorKind::invalid_argument,
                     "--output: '" + output_.path() + "' does not end in .svg or .html"};
  }
  os::Status prepare() override { return output_.open(); }
  os::Result<int> run(const ToolContext& context) override;

 private:
  void print(const std::vector<profile::FunctionChange>& changes, std::ostream& out) const;
  void print_json(const std::vector<profile::FunctionChange>& changes, std::ostream& out) const;

  std::vector<std::string> files_;
  OutputFile output_;
  std::int64_t limit_ = 30;
};

os::Result<int> DiffTool::run(const ToolContext& context) {
  const auto before = read_profile(files_[0]);
  if (!before) return before.error();
  const auto after = read_profile(files_[1]);
  if (!after) return after.error();
  if (output_.wanted()) {
    const auto svg = profile::difference_svg(*before, *after);
    const auto written = output_.write(
        output_.ends_with(".svg") ? svg : profile::flame_page("What changed in CPU time", svg));
    if (!written) return written.error();
    return 0;
  }
  auto changes = profile::difference(*before, *after);
  if (changes.size() > static_cast<std::size_t>(limit_))
    changes.resize(static_cast<std::size_t>(limit_));
  if (context.format == OutputFormat::json) {
    print_json(changes, context.out);
  } else {
    context.out << "before: " << before->samples() << " samples in "
                << seconds_text(before->duration) << "; after: " << after->samples() << " in "
                << seconds_text(after->duration) << "; CPU milliseconds per second\n";
    print(changes, context.out);
  }
  return 0;
}

void DiffTool::print(const std::vector<profile::FunctionChange>& changes, std::ostream& out) const {
  out << "  before    after    change     +-   function\n";
  for (const auto& change : changes) {
    const double grown = change.self_after - change.self_before;
    out << text::printed("%8.1f %8.1f %+9.1f%c %6.1f  ", 1e3 * change.self_before,
                         1e3 * change.self_after, 1e3 * grown,
                         std::abs(grown) < change.error ? '?' : ' ', 1e3 * change.error)
        << change.function.text() << "\n";
  }
}

void DiffTool::print_json(const std::vector<profile::FunctionChange>& changes,
                          std::ostream& out) const {
  auto functions = nlohmann::ordered_json::array();
  for (const auto& change : changes)
    functions.push_back({{"function", change.function.text()},
                         {"self_before", change.self_before},
                         {"self_after", change.self_after},
                         {"error", change.error},
                         {"inclusive_before", change.inclusive_before},
                         {"inclusive_after", change.inclusive_after}});
  const nlohmann::ordered_json json = {{"unit", "CPU seconds per second"},
                                       {"functions", functions}};
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace

std::unique_ptr<Tool> diff_tool() { return std::make_unique<DiffTool>(); }

}  // namespace beam_exporter::commands
