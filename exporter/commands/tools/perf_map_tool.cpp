#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "beam/perf_map.h"
#include "commands/tools/attach.h"
#include "commands/tools/interrupt.h"
#include "commands/tools/registry.h"
#include "os/perf/perf_recording.h"
#include "os/process/atomic_file.h"
#include "os/process/pid_namespace.h"

namespace beam_exporter::commands {

namespace {

constexpr const char* about_perf_map = R"(
Writes where the VM's Erlang functions are, so that perf names them. The VM needs no flag (as +JPperf),
and functions loaded since its start are there. Without --output the file is /tmp/perf-PID.map in the
VM's own root, where perf looks for it; perf wants it to belong to root or to the user who runs perf.
The JIT keeps its code in a memfd, where perf does not look for names: --recording changes that in a
file of perf record.

With --follow it is written again whenever code is loaded, until Ctrl-C or the VM's end.

Examples:
  perf record -g -p $(pidof beam.smp) -- sleep 10
  beam_exporter perf-map --recording=perf.data
  perf report
  beam_exporter perf-map --output=shop.map

Exit codes: 0 written, 1 failed, 2 wrong usage.)";

// asmjit's name for it, in asmjit/core/virtmem.cpp (OTP 25 and 27).
constexpr std::string_view code_of_the_jit = "/memfd:vmem (deleted)";
constexpr auto look_again = std::chrono::milliseconds(1000);

class PerfMapTool : public Tool {
 public:
  const char* name() const override { return "perf-map"; }
  const char* meaning() const override {
    return "write a perf map, so that perf names Erlang functions";
  }
  const char* footer() const override { return about_perf_map; }
  std::vector<Flag> flags() override {
    return {
        {"--output", "FILE", "write to this file instead", &output_},
        {"--recording", "FILE", "let perf look for names in this file of perf record", &recording_},
        {"--follow", "", "keep it current until the VM ends", &follow_}};
  }
  os::Status prepare() override;
  os::Result<int> run(const ToolContext& context) override;

 private:
  os::Result<os::AtomicFile> file(const os::Process& process) const {
    if (!output_.empty()) return os::AtomicFile::at(output_);
    const auto pid = os::innermost_tid(process.directory(), process.pid());
    if (!pid) return os::Error{os::ErrorKind::gone, "the VM has ended"};
    return os::AtomicFile::in_tmp_of(process, "perf-" + std::to_string(*pid) + ".map");
  }
  os::Status write(beam::VirtualMachine& vm, const os::AtomicFile& file,
                   const ToolContext& context) const;

  std::string output_, recording_;
  bool follow_ = false;
};

os::Status PerfMapTool::prepare() {
  if (recording_.empty()) return os::Done{};
  const auto changed = os::make_mappings_anonymous(recording_, code_of_the_jit);
  if (!changed) return changed.error();
  if (*changed == 0)
    std::cerr << "beam_exporter: " << recording_
              << " has no code of a JIT that perf would not look at already\n";
  return os::Done{};
}

os::Result<int> PerfMapTool::run(const ToolContext& context) {
  const auto attached = attach(context);
  if (!attached) return attached.error();
  auto& vm = *attached->vm;
  if (vm.interpreter() != nullptr)
    return os::Error{os::ErrorKind::unsupported,
                     "this VM interprets its code: its functions have no machine code that perf "
                     "could name. `beam_exporter profile` names them"};
  const auto file = this->file(vm.process());
  if (!file) return file.error();
  const Interrupt interrupt;
  std::optional<std::uint64_t> written;  // generation of the code
  for (;;) {
    const bool read = vm.code().refresh();
    if (read && written != vm.code().generation()) {
      if (const auto done = write(vm, *file, context); !done) return done.error();
      written = vm.code().generation();
    }
    if (!follow_ && written) return 0;
    if (interrupt.comes_within(look_again)) return 0;
    if (!vm.process().running()) return written ? 0 : 1;
  }
}

os::Status PerfMapTool::write(beam::VirtualMachine& vm, const os::AtomicFile& file,
                              const ToolContext& context) const {
  const auto map = beam::perf_map(vm);
  if (auto done = file.write(map.text); !done) return done;
  if (map.undecoded > 0)
    std::cerr << "beam_exporter: " << map.undecoded
              << " modules could not be read: perf will not name their functions\n";
  if (context.format == OutputFormat::json)
    context.out << nlohmann::ordered_json({{"file", file.path()},
                                           {"functions", map.functions},
                                           {"modules_not_read", map.undecoded}})
                       .dump(2)
                << std::endl;
  else
    context.out << file.path() << ": " << map.functions << " functions" << std::endl;
  return os::Done{};
}

}  // namespace

std::unique_ptr<Tool> perf_map_tool() { return std::make_unique<PerfMapTool>(); }

}  // namespace beam_exporter::commands
