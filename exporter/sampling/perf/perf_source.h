#pragma once

#include <map>
#include <memory>

#include "beam/virtual_machine.h"
#include "os/perf/perf_event.h"
#include "os/perf/perf_ring.h"
#include "sampling/perf/remote_reader.h"
#include "sampling/sample_source.h"

namespace beam_exporter::sampling {

// Samples by one perf event and one ring per thread of the VM. Registers and stack are of the
// sampled instant; RemoteReader adds the rest. Needs CAP_PERFMON. Without it, needs the VM's user
// and perf_event_paranoid <= 2; then there are no samples inside system calls.
class PerfSource final : public SampleSource {
 public:
  // Starts sampling. `frequency`: samples per second of each thread's CPU time. The VM must outlive
  // the source.
  static os::Result<std::unique_ptr<SampleSource>> start(
      const beam::VirtualMachine& vm, unsigned frequency,
      os::KernelStacks kernel = os::KernelStacks::left_out);

  std::string_view name() const override { return "perf"; }
  os::Status refresh_threads() override;
  const std::vector<pollfd>& descriptors() const override { return descriptors_; }
  void collect(SampleBatch& batch) override;
  std::vector<beam::ThreadRole> roles() const override;
  Unwatched unwatched() const override { return choice_.unwatched(); }
  bool sees_kernel() const override { return sees_kernel_; }
  Losses losses() const override { return losses_; }
  InterpreterProofs proofs() const override { return native_.proofs(); }
  elf::LoadedObjects* objects() override { return &native_.objects(); }

 private:
  struct Watched {
    beam::ThreadRole role;
    const beam::Scheduler* scheduler = nullptr;
    os::SamplingEvent event;
    os::PerfRing ring;
    std::chrono::nanoseconds sampled{};  // the thread's run time at its last sample
  };

  PerfSource(const beam::VirtualMachine& vm, std::chrono::nanoseconds period,
             os::KernelStacks kernel)
      : vm_(&vm), period_(period), kernel_(kernel), native_(vm), reader_(vm, native_) {}
  os::Status watch(pid_t tid, beam::ThreadRole role);
  void list_descriptors();
  std::chrono::nanoseconds stands_for(Watched& watched, std::chrono::nanoseconds run_time);

  const beam::VirtualMachine* vm_;
  std::chrono::nanoseconds period_;
  os::KernelStacks kernel_;
  NativeReader native_;
  RemoteReader reader_;
  ThreadChoice choice_;
  std::map<pid_t, Watched> watched_;
  std::vector<pollfd> descriptors_;
  Losses losses_;
  bool sees_kernel_ = true;
};

}  // namespace beam_exporter::sampling
