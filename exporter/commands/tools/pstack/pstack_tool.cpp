#include <iostream>

#include "commands/tools/attach.h"
#include "commands/tools/pstack/process_stacks.h"
#include "commands/tools/pstack/schedulers_look.h"
#include "commands/tools/registry.h"
#include "commands/tools/sampling_flags.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* pstack_footer = R"(
Prints what each scheduler runs now: the process, its state as msacc names it, and the stack, C
functions on top of the BIF or NIF and the Erlang functions. It samples for a quarter of a second. A
scheduler that waits inside a NIF or BIF is off the CPU, so it has no sample: then its stack is read
from memory, and `off the CPU` says so. The name of a process is its registered name, else its label,
else its first function.

"seen for 0.20 s": the time from the first to the newest look at this process; no look between them saw
the scheduler idle or with another process. It may run for longer already, and it may have rested
between two looks. "0.15 s ago": the newest look that saw work is so old; the scheduler was idle since,
or could not be seen.

Without the right to sample, and with --core, the structs of the VM alone tell which process runs on a
CPU. Its stack is that of the moment when C code saw it last, so it may be stale. --wait ends at once.

--processes prints the stacks of all processes, equal ones together, the most frequent first. The
function where a process goes on is on top, its callers below. Processes that a scheduler runs at that
moment have no stack that stands still, and those that hibernate have none: the first line counts them.

--process prints one process: its status, the bytes of its heap with its messages, the length of its
queue and its stack. PROCESS is "<0.123.0>" as Erlang prints it, or a registered name.

Examples:
  beam_exporter pstack
  beam_exporter pstack --all-schedulers --only-erlang
  beam_exporter pstack --wait --duration=60
  beam_exporter pstack --processes --limit=5 --format=json
  beam_exporter pstack --process=shop_cart
  beam_exporter pstack --process='<0.123.0>'
  beam_exporter pstack --core=core.4711

Exit codes: 0 done, 1 failed, or the VM ended meanwhile (what was seen is printed), 2 wrong usage.)";

class PstackTool : public Tool {
 public:
  const char* name() const override { return "pstack"; }
  const char* meaning() const override {
    return "what each scheduler runs; stacks of all processes";
  }
  const char* footer() const override { return pstack_footer; }
  std::span<const std::string_view> settings() const override { return settings_of_sampling(); }
  std::vector<Flag> flags() override;
  os::Status check() override;
  os::Status prepare() override { return core_.prepare(); }
  os::Result<int> run(const ToolContext& context) override;

 private:
  os::Status print_processes(const ToolContext& context);
  os::Result<SchedulerReport> schedulers(const ToolContext& context);

  SchedulerChoice choice_;
  bool wait_ = false, processes_ = false;
  std::string process_;
  std::int64_t limit_ = 20, seconds_ = 0;
  CoreChoice core_;
};

std::vector<Flag> PstackTool::flags() {
  auto flags = core_.flags();
  flags.push_back({"--all-schedulers", "", "idle schedulers too", &choice_.all});
  flags.push_back(
      {"--wait", "", "wait until each normal scheduler that is online was seen at work", &wait_});
  flags.push_back({"--duration", "SECONDS", "how long --wait waits; 0: until Ctrl-C",
                   Number{&seconds_, 0, 86400}});
  flags.push_back({"--only-erlang", "", "without C functions", &choice_.only_erlang});
  flags.push_back(
      {"--process", "PROCESS", "only this process: <0.N.S> or a registered name", &process_});
  flags.push_back({"--processes", "", "all processes, equal stacks together", &processes_});
  flags.push_back(
      {"--limit", "N", "with --processes: how many different stacks", Number{&limit_, 1, 1000000}});
  return flags;
}

os::Status PstackTool::check() {
  const auto wrong = [](const char* what) {
    return os::Error{os::ErrorKind::invalid_argument, what};
  };
  if (processes_ && !process_.empty()) return wrong("give --process or --processes, not both");
  if ((processes_ || !process_.empty()) && (choice_.all || choice_.only_erlang || wait_))
    return wrong(
        "--all-schedulers, --only-erlang and --wait are of schedulers: give them without --process "
        "and --processes");
  if (seconds_ > 0 && !wait_) return wrong("--duration needs --wait");
  if (wait_ && core_.given()) return wrong("--wait: nothing runs any more in a core");
  return core_.check();
}

os::Status PstackTool::print_processes(const ToolContext& context) {
  const auto attached = attach(context, &core_);
  if (!attached) return attached.error();
  if (!process_.empty()) return print_one_process(context, *attached->vm, process_);
  return print_all_processes(context, *attached->vm, static_cast<std::size_t>(limit_));
}

os::Result<SchedulerReport> PstackTool::schedulers(const ToolContext& context) {
  if (!core_.given())
    return look_at_schedulers(context, {.idle_too = choice_.all,
                                        .until_all_worked = wait_,
                                        .most_time = std::chrono::seconds(seconds_)});
  const auto attached = attach(context, &core_);
  if (!attached) return attached.error();
  return schedulers_in_core(*attached->vm);
}

os::Result<int> PstackTool::run(const ToolContext& context) {
  if (processes_ || !process_.empty()) {
    if (const auto printed = print_processes(context); !printed) return printed.error();
    return 0;
  }
  const auto report = schedulers(context);
  if (!report) return report.error();
  if (context.format == OutputFormat::json)
    context.out << scheduler_json(*report, choice_) << "\n";
  else
    context.out << scheduler_text(*report, choice_);
  if (report->ended_early)
    std::cerr << "beam_exporter: the VM ended meanwhile; this is what was seen until then\n";
  return report->ended_early ? 1 : 0;
}

}  // namespace

std::unique_ptr<Tool> pstack_tool() { return std::make_unique<PstackTool>(); }

}  // namespace beam_exporter::commands
