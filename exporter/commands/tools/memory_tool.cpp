#include "collectors/memory_look.h"
#include "commands/tools/attach.h"
#include "commands/tools/memory_report.h"
#include "commands/tools/registry.h"
#include "verdict/memory_json.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* memory_footer = R"(
Says what the resident memory of the VM is made of, and what of it is waste: free memory in carriers
that are nearly empty (the past of processes), fragmentation (small holes between blocks), or memory
outside the VM's carriers. Each finding names a flag or an action that helps, and its document.
A carrier is an area of memory in which an allocator of the VM places its blocks: erts_alloc(3).
The limit is that of the control group; files that the kernel takes back first do not count.
The VM is only read: it may be busy, stopped or hung. Each look is new; nothing is compared.

Examples:
  beam_exporter memory
  beam_exporter memory --target.pid=1234 --format=json

Exit codes: 0 done, also with findings; 1 failed, or the VM ended meanwhile; 2 wrong usage.)";

class MemoryTool : public Tool {
 public:
  const char* name() const override { return "memory"; }
  const char* meaning() const override { return "what the memory is made of, and what helps"; }
  const char* footer() const override { return memory_footer; }
  std::vector<Flag> flags() override { return {}; }

  os::Result<int> run(const ToolContext& context) override {
    const auto attached = attach(context);
    if (!attached) return attached.error();
    auto& vm = *attached->vm;
    const auto facts = collectors::look_at_memory(vm);
    if (!vm.process().running()) return os::Error{os::ErrorKind::gone, "the VM has ended"};
    if (context.format == OutputFormat::json)
      context.out << verdict::memory_json(session::describe(vm), facts);
    else
      print_memory(session::describe(vm), facts, context.out);
    return 0;
  }
};

}  // namespace

std::unique_ptr<Tool> memory_tool() { return std::make_unique<MemoryTool>(); }

}  // namespace beam_exporter::commands
