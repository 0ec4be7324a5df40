#include <algorithm>
#include <chrono>

#include "commands/tools/attach.h"
#include "commands/tools/heap/heap_report.h"
#include "commands/tools/interrupt.h"
#include "commands/tools/progress.h"
#include "commands/tools/registry.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* heap_footer = R"(
Prints the processes that have most of something, and how heaps are spread. --sort chooses of what:
  heap        process_info's total_heap_size in bytes: with old heap, heap fragments and messages
              whose data belongs to the heap. Binaries of 65 bytes and more are outside of it.
  messages    its message queue
  reductions  its work so far; with --diff, who works most. While a process runs, those of its time
              slice are missing, mostly less than 4000.
  memory      process_info's memory: heap, message queue, links, monitors, dictionary. The buffer of
              process_flag(save_calls) is missing, and up to some 100 bytes for each selective
              receive that marks its place in the queue.
  binaries    binaries of 65 bytes and more that it refers to, each once for each process: what two
              processes share counts for both. Those in messages that wait are missing, as in
              process_info.
memory and binaries need more reads for each process, so they are only shown when sorted by. "> "
says that there is more: a list was too long to follow, or a message from another node is not
decoded yet. "?" says that a process changed whenever it was measured.
With --diff two looks are compared: who grew most between them is first.

Examples:
  beam_exporter heap
  beam_exporter heap --sort=messages --limit=5
  beam_exporter heap --sort=reductions --diff=10
  beam_exporter heap --sort=binaries
  beam_exporter heap --core=core.4711

Exit codes: 0 done, 1 failed, or the VM ended meanwhile, 2 wrong usage.)";

class HeapTool : public Tool {
 public:
  const char* name() const override { return "heap"; }
  const char* meaning() const override { return "processes by memory, messages and work"; }
  const char* footer() const override { return heap_footer; }
  std::vector<Flag> flags() override {
    auto flags = core_.flags();
    flags.push_back({"--sort", "KEY", "what to sort by",
                     Choice{&sort_, {"heap", "messages", "reductions", "memory", "binaries"}}});
    flags.push_back({"--limit", "N", "how many processes", Number{&limit_, 1, 10000000}});
    flags.push_back({"--diff", "SECONDS", "compare two looks so far apart; 0: one look",
                     Number{&diff_seconds_, 0, 86400}});
    return flags;
  }
  os::Status check() override {
    if (core_.given() && diff_seconds_ > 0)
      return os::Error{os::ErrorKind::invalid_argument, "--diff: nothing grows in a core"};
    return core_.check();
  }
  os::Status prepare() override { return core_.prepare(); }
  os::Result<int> run(const ToolContext& context) override;

 private:
  void wait_for_second_look(const os::Process& process) const;

  std::string sort_ = "heap";
  std::int64_t limit_ = 20, diff_seconds_ = 0;
  CoreChoice core_;
};

os::Result<int> HeapTool::run(const ToolContext& context) {
  const auto attached = attach(context, &core_);
  if (!attached) return attached.error();
  auto& vm = *attached->vm;
  const auto key = heap_key(sort_);
  os::Result<HeapLook> before{HeapLook{}};
  if (diff_seconds_ > 0) {
    before = look_at_heaps(vm, key);
    if (!before) return before.error();
    wait_for_second_look(vm.process());
  }
  if (!core_.given() && !vm.process().running())
    return os::Error{os::ErrorKind::gone, "the VM has ended"};
  const auto now = look_at_heaps(vm, key);
  if (!now) return now.error();
  const auto report = heap_report(diff_seconds_ > 0 ? &*before : nullptr, *now, key);
  const auto print = context.format == OutputFormat::json ? print_heaps_json : print_heaps;
  print(vm, report, static_cast<std::size_t>(limit_), context.out);
  return 0;
}

// Ctrl-C brings the second look forward.
void HeapTool::wait_for_second_look(const os::Process& process) const {
  using std::chrono::steady_clock;
  constexpr auto longest_step = std::chrono::milliseconds(200);
  const Interrupt interrupt;
  const std::chrono::seconds whole(diff_seconds_);
  Progress progress("waiting for the second look", whole);
  const auto begin = steady_clock::now();
  for (auto gone = steady_clock::now() - begin; gone < whole && process.running();
       gone = steady_clock::now() - begin) {
    progress.show(gone);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(whole - gone);
    if (interrupt.comes_within(std::min(left, longest_step))) return;
  }
}

}  // namespace

std::unique_ptr<Tool> heap_tool() { return std::make_unique<HeapTool>(); }

}  // namespace beam_exporter::commands
