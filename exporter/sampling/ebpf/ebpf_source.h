#pragma once

#include <functional>
#include <map>
#include <memory>

#include "beam/virtual_machine.h"
#include "os/perf/perf_event.h"
#include "sampling/ebpf/ebpf_program.h"
#include "sampling/ebpf/record_reader.h"
#include "sampling/sample_source.h"

namespace beam_exporter::sampling {

// A cpu-clock event per thread of the VM with the BPF program on it: what it sees is of the sampled
// instant, so nobody needs to hurry to fetch it. Needs CAP_BPF and CAP_PERFMON, Linux 5.15 with
// BTF.
class EbpfSource : public SampleSource {
 public:
  // The link that keeps the sampling event, the switch event, which tells run times, and its link;
  // and what the program and its maps take, however many threads there are.
  static constexpr std::uint64_t descriptors_per_thread = 3, descriptors_of_program = 24;

  // As PerfSource::start; errors also as EbpfProgram::load.
  static os::Result<std::unique_ptr<EbpfSource>> start(const beam::VirtualMachine& vm,
                                                       unsigned frequency);

  // Is called for each sample as both sources would have it: `same` is what the perf source would
  // have got from the kernel. For measuring what the read delay does; while it is set every sample
  // wakes its reader at once.
  using PerfComparison = std::function<void(const RawSample& instant, const os::PerfSample& same,
                                            const beam::Scheduler* scheduler)>;
  void set_perf_comparison(PerfComparison comparison);

  std::string_view name() const override { return "ebpf"; }
  os::Status refresh_threads() override;
  const std::vector<pollfd>& descriptors() const override { return descriptors_; }
  void collect(SampleBatch& batch) override;
  std::vector<beam::ThreadRole> roles() const override;
  Unwatched unwatched() const override { return choice_.unwatched(); }
  bool sees_kernel() const override { return true; }
  Losses losses() const override;
  // Short while the VM loads code: samples must be named before their code is purged.
  std::chrono::milliseconds patience() const override;
  std::optional<SourceCost> cost() const override;
  std::optional<OffCpu> off_cpu(beam::ThreadRole role) const override;
  os::Status watch_growth(const std::vector<beam::CarrierFunction>& functions) override;
  elf::LoadedObjects* objects() override { return &native_.objects(); }

 protected:
  struct Watched {
    beam::ThreadRole role;
    const beam::Scheduler* scheduler = nullptr;
    std::uint32_t index = 0;
    bool stack_known = false;
    std::optional<EbpfProgram::Attachment> attachment;
    os::UniqueFd switch_event;
    std::optional<EbpfProgram::Attachment> switches;  // none where the kernel refuses it
  };

  // What both triggers of the program have in common.
  static os::Result<std::unique_ptr<EbpfProgram>> load(const beam::VirtualMachine& vm,
                                                       unsigned frequency,
                                                       EbpfProgram::Trigger trigger);
  EbpfSource(const beam::VirtualMachine& vm, std::unique_ptr<EbpfProgram> program,
             std::chrono::nanoseconds period);
  const EbpfProgram& program() const { return *program_; }
  EbpfProgram& program() { return *program_; }
  const beam::VirtualMachine& vm() const { return *vm_; }

 private:
  os::Status watch(pid_t tid, beam::ThreadRole role);
  // Has the program run on a thread that is at `place` from now on.
  virtual os::Status begin(pid_t tid, Watched& watched, const watched_thread& place);
  virtual bool measures_off_cpu(const Watched& watched) const;
  // How long it has been off its CPU since it left as `time` says.
  virtual std::chrono::nanoseconds gone_since(const Watched& watched,
                                              const off_cpu_time& time) const;
  void take_sample(std::span<const std::byte> bytes, const Watched& watched, SampleBatch& batch);
  void take_growth(std::span<const std::byte> bytes, const Watched& watched, SampleBatch& batch);
  std::uint32_t unused_index();
  void place_again(pid_t tid, Watched& watched);
  watched_thread place_of(pid_t tid, const beam::Scheduler* scheduler) const;

  const beam::VirtualMachine* vm_;
  std::chrono::nanoseconds period_;
  NativeReader native_;
  RecordReader reader_;
  std::unique_ptr<EbpfProgram> program_;
  ThreadChoice choice_;
  std::map<pid_t, Watched> watched_;
  std::map<std::uint32_t, const Watched*> by_index_;
  std::uint32_t next_index_ = 0;
  std::vector<pollfd> descriptors_;
  Losses malformed_;
  std::uint64_t code_generation_ = 0;
  std::chrono::nanoseconds code_changed_{};
  PerfComparison perf_comparison_;
  std::vector<EbpfProgram::Attachment> growth_;  // at each of the functions
};

}  // namespace beam_exporter::sampling
