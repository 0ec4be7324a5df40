#include <iostream>
#include <sstream>

#include "commands/tools/attach.h"
#include "commands/tools/output_file.h"
#include "commands/tools/registry.h"
#include "commands/tools/report/sections.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* report_footer = R"(
Writes one text about a VM that hangs or misbehaves: what one attaches to a bug report. It has the VM
and its process, the schedulers and what they run, counts and limits, the longest message queues with
the kinds of their first messages, the largest ETS tables and heaps, the stacks of all processes, and the memory.
The VM is only read: it may be busy, stopped or dead-locked. What cannot be read is named with the
reason, and the rest is there.
The text holds names of processes, functions and files, the command line, and the tags of messages. It
holds no other content of messages or heaps. Only the owner may read the file of --output.

Examples:
  beam_exporter report
  beam_exporter report --target.pid=1234 --output=hang.txt
  beam_exporter report --core=core.4711 --output=crash.txt

Exit codes: 0 done, 1 failed, or the VM ended meanwhile, 2 wrong usage.)";

class ReportTool : public Tool {
 public:
  const char* name() const override { return "report"; }
  const char* meaning() const override { return "one text about a VM that hangs or misbehaves"; }
  const char* footer() const override { return report_footer; }
  std::vector<Flag> flags() override {
    auto flags = core_.flags();
    flags.push_back({"--output", "FILE", "write to this file instead of stdout", &output_.path()});
    flags.push_back({"--limit", "N", "how many entries of each list", Number{&limit_, 1, 100000}});
    return flags;
  }
  os::Status check() override { return core_.check(); }
  os::Status prepare() override {
    if (auto opened = core_.prepare(); !opened) return opened;
    return output_.open_private();
  }
  os::Result<int> run(const ToolContext& context) override;

 private:
  std::int64_t limit_ = 10;
  OutputFile output_;
  CoreChoice core_;
};

std::optional<beam::Vitals> vitals_of(const beam::VirtualMachine& vm) {
  return beam::VitalsReader(vm.layout(), vm.static_data(), vm.memory(), vm.schedulers()).read();
}

os::Result<int> ReportTool::run(const ToolContext& context) {
  if (context.format == OutputFormat::json)
    return os::Error{os::ErrorKind::invalid_argument,
                     "report: it is a text; heap, pstack and memory have --format=json"};
  const auto attached = attach(context, &core_);
  if (!attached) return attached.error();
  auto& vm = *attached->vm;
  const ReportSubject subject{.vm = vm,
                              .core = core_.path(),
                              .exporter = context.exporter,
                              .complaint = attached->complaint,
                              .limit = static_cast<std::size_t>(limit_),
                              .vitals = vitals_of(vm)};
  std::ostringstream text;
  text << "Report about an Erlang VM\n";
  for (const auto print : {&print_vm, &print_schedulers, &print_counts, &print_processes,
                           &print_stacks, &print_memory_section, &print_ets})
    print(subject, text);
  const bool ended = !core_.given() && !vm.process().running();
  if (ended) text << "\nThe VM has ended while this was written.\n";
  if (!output_.wanted())
    context.out << text.str();
  else if (const auto written = output_.write(text.str()); !written)
    return written.error();
  if (ended) std::cerr << "beam_exporter: the VM has ended meanwhile\n";
  return ended ? 1 : 0;
}

}  // namespace

std::unique_ptr<Tool> report_tool() { return std::make_unique<ReportTool>(); }

}  // namespace beam_exporter::commands
