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

// Samples by a cpu-clock event per thread of the VM, which runs the BPF program. All that a sample
// holds is of the sampled instant, so that it may be fetched later. Needs CAP_BPF and CAP_PERFMON,
// Linux 5.15 with BTF.
class EbpfSource : public SampleSource {
 public:
  // Per thread: the link that keeps the sampling event, the switch event (we read run times from
  // it), and the link of that. The program and its maps need descriptors too, whatever the number
  // of threads.
  static constexpr std::uint64_t descriptors_per_thread = 3, descriptors_of_program = 24;

  // As PerfSource::start(), with the errors of EbpfProgram::load() too.
  static os::Result<std::unique_ptr<EbpfSource>> start(
      const beam::VirtualMachine& vm, unsigned frequency,
      os::KernelStacks kernel = os::KernelStacks::left_out);

  // Called for each sample, with the same sample as the perf source would have got it from the
  // kernel (`same`). Used to measure the effect of the read delay. While it is set, every sample
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
  // Short while the VM loads code: samples must get their names before their code is purged.
  std::chrono::milliseconds longest_wait() const override;
  std::optional<SourceCost> cost() const override;
  std::optional<OffCpu> off_cpu(beam::ThreadRole role) const override;
  os::Status watch_growth(const beam::CarrierEntries& entries) override;
  InterpreterProofs proofs() const override { return native_.proofs(); }
  elf::LoadedObjects* objects() override { return &native_.objects(); }

 protected:
  struct Watched {
    beam::ThreadRole role;
    const beam::Scheduler* scheduler = nullptr;
    std::uint32_t index = 0;
    bool stack_known = false;
    os::Address runtime_stack = 0;  // as the program has it
    std::optional<EbpfProgram::Attachment> attachment;
    os::UniqueFd switch_event;
    std::optional<EbpfProgram::Attachment> switches;  // empty where the kernel refuses it
  };

  // Loads the program, for either trigger.
  static os::Result<std::unique_ptr<EbpfProgram>> load(const beam::VirtualMachine& vm,
                                                       unsigned frequency,
                                                       EbpfProgram::Trigger trigger,
                                                       os::KernelStacks kernel);
  EbpfSource(const beam::VirtualMachine& vm, std::unique_ptr<EbpfProgram> program,
             std::chrono::nanoseconds period);
  const EbpfProgram& program() const { return *program_; }
  EbpfProgram& program() { return *program_; }
  const beam::VirtualMachine& vm() const { return *vm_; }

 private:
  os::Status watch(pid_t tid, beam::ThreadRole role);
  // Begins to run the program on this thread. `place` holds the thread's addresses.
  virtual os::Status begin(pid_t tid, Watched& watched, const watched_thread& place);
  virtual bool measures_off_cpu(const Watched& watched) const;
  // How long the thread has been off its CPU since `time.left_at`.
  virtual std::chrono::nanoseconds time_off_cpu(const Watched& watched,
                                                const off_cpu_time& time) const;
  void take_sample(std::span<const std::byte> bytes, const Watched& watched, SampleBatch& batch);
  void take_growth(std::span<const std::byte> bytes, const Watched& watched, SampleBatch& batch);
  std::uint32_t unused_index();
  bool moved(const Watched& watched) const;  // its place is known better now
  void refresh_place(pid_t tid, Watched& watched);
  void refresh_frames();

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
  std::vector<EbpfProgram::Attachment> growth_;  // one for each function
};

}  // namespace beam_exporter::sampling
