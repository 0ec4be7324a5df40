#include <algorithm>
#include <chrono>

#include "commands/tools/interrupt.h"
#include "commands/tools/registry.h"
#include "commands/tools/sampling_flags.h"
#include "commands/tools/top/live.h"
#include "commands/tools/top/thread_flags.h"
#include "commands/tools/top/top_json.h"
#include "commands/tools/top/top_text.h"
#include "os/monotonic_clock.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* top_footer = R"(
Shows, for each interval, the functions that used most CPU time: on a full screen, with keys, when
stdin and stdout are a terminal; else, with TERM=dumb or with --format=json as lines. `self` is the share of
samples with the function on top of the Erlang stack, with the C functions that it calls; `incl` with
it anywhere on the stack. `+-`: by how many points `self` may be off. `state`, as msacc names it, is
that of most of the function's samples. Shares are of all samples, or of the chosen thread's.

With --include-kernel the functions of the Linux kernel have rows too, as "vfs_read_[k]"; the time of a
system call is then theirs, not the caller's `self`.

Views: `called` has BIFs and NIFs alone, `processes` each process and `states` each state with its
hottest function; `flame` is a flame graph of text, as wide as the terminal (120 columns as lines,
--limit is then its depth): each box stands below its caller and is as wide as its share of the
samples. Its --module chooses stacks, --only-erlang changes nothing there, and with --format=json it is
the stacks.
With --format=json each interval is one JSON object on one line.

Keys: q quit, s sort by self, i by inclusive, b BIFs and NIFs, p processes, t states,
f flame graph, e BIFs count for callers, m or / filter by module, space freezes, ? help.

Examples:
  beam_exporter top
  beam_exporter top --interval=10 --inclusive --module=shop
  beam_exporter top --duration=10 | cat
  beam_exporter top --scheduler=1 --only-erlang
  beam_exporter top --view=flame --limit=40 --duration=5 --interval=5 | cat
  beam_exporter top --view=processes --duration=60 --format=json > processes.jsonl

Exit codes: 0 done, or ended by Ctrl-C, 1 failed, or the VM ended meanwhile, 2 wrong usage.)";

class TopTool : public Tool {
 public:
  const char* name() const override { return "top"; }
  const char* meaning() const override { return "the hottest functions, live"; }
  const char* footer() const override { return top_footer; }
  std::span<const std::string_view> settings() const override { return settings_of_sampling(); }
  std::vector<Flag> flags() override;
  os::Status check() override;
  os::Status prepare() override {
    sampling_.read_kernel_symbols();
    return os::Done{};
  }
  os::Result<int> run(const ToolContext& context) override;

 private:
  std::chrono::nanoseconds interval() const { return std::chrono::seconds(interval_seconds_); }
  std::chrono::nanoseconds duration() const {
    if (duration_seconds_ == 0) return std::chrono::nanoseconds::max() / 2;
    return std::chrono::seconds(duration_seconds_);
  }
  os::Result<int> print_lines(const ToolContext& context, session::Recording& recording,
                              const Interrupt& interrupt) const;
  void print(const ToolContext& context, const profile::Profile& profile) const;

  SamplingFlags sampling_;
  ThreadFlags threads_;
  TopChoice choice_;
  std::int64_t duration_seconds_ = 0, interval_seconds_ = 2, limit_ = 20;
  std::string view_ = std::string(top_view_names.front());
};

std::vector<Flag> TopTool::flags() {
  std::vector<Flag> flags{
      {"--interval", "SECONDS", "the time of each table", Number{&interval_seconds_, 1, 3600}},
      {"--duration", "SECONDS", "how long to sample; 0: until Ctrl-C",
       Number{&duration_seconds_, 0, 86400}},
      sampling_.frequency(),
      {"--limit", "N", "rows of each table", Number{&limit_, 1, 1000}},
      {"--view", "VIEW", "what a row is; flame: a flame graph",
       Choice{&view_, {top_view_names.begin(), top_view_names.end()}}},
      {"--inclusive", "", "sort by inclusive time", &choice_.by_inclusive},
      {"--only-erlang", "", "count the time of BIFs and NIFs for their Erlang callers",
       &choice_.only_erlang},
      sampling_.include_kernel(),
      {"--module", "TEXT", "only modules, or processes, with this in their name", &choice_.filter}};
  std::ranges::move(threads_.flags(), std::back_inserter(flags));
  return flags;
}

os::Status TopTool::check() {
  choice_.view =
      static_cast<TopView>(std::ranges::find(top_view_names, view_) - top_view_names.begin());
  return threads_.check();
}

os::Result<int> TopTool::run(const ToolContext& context) {
  const Interrupt interrupt;
  const auto recording = sampling_.begin(context);
  if (!recording) return recording.error();
  const auto thread = threads_.thread_of((*recording)->process());
  if (!thread) return thread.error();
  choice_.thread = *thread;
  if (const auto screen = context.format == OutputFormat::text ? Screen::open() : nullptr) {
    const auto shown = show_live(**recording, interrupt, *screen, choice_, interval(), duration());
    if (!shown) return shown.error();
    return 0;
  }
  return print_lines(context, **recording, interrupt);
}

// What was recorded before the end has its table too.
os::Result<int> TopTool::print_lines(const ToolContext& context, session::Recording& recording,
                                     const Interrupt& interrupt) const {
  auto left = duration();
  for (bool ends = false; !ends;) {
    const bool woken = !recording.run_for(std::min(interval(), left), interrupt.descriptor());
    const auto profile = recording.take();
    if (!profile) return profile.error();
    left -= std::min(interval(), left);
    ends = woken || left.count() == 0 || profile->ended_early;
    if (!woken || profile->samples() > 0) print(context, *profile);
    if (!context.out.flush()) return 1;
    if (profile->ended_early) return os::Error{os::ErrorKind::gone, "the VM has ended"};
  }
  return 0;
}

void TopTool::print(const ToolContext& context, const profile::Profile& profile) const {
  const auto most = static_cast<std::size_t>(limit_);
  if (context.format == OutputFormat::json) {
    context.out << top_json(profile, choice_, most) << "\n";
    return;
  }
  const auto told = top_text(profile, choice_, most);
  for (const auto& line : told.head) context.out << line << "\n";
  context.out << told.titles << "\n";
  for (const auto& row : told.rows) context.out << row << "\n";
  context.out << "\n";
}

}  // namespace

std::unique_ptr<Tool> top_tool() { return std::make_unique<TopTool>(); }

}  // namespace beam_exporter::commands
