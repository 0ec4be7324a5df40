#pragma once

#include "sampling/ebpf/ebpf_source.h"

namespace beam_exporter::sampling {

// The eBPF source for systems that refuse perf events. The kernel's tick and a BPF timer run the
// same program, instead of an event per thread. Needs CAP_BPF and CAP_PERFMON, Linux 5.15 with BTF,
// and no descriptor per thread. It does not see growth.
class TickSource final : public EbpfSource {
 public:
  // As EbpfSource::start().
  static os::Result<std::unique_ptr<TickSource>> start(const beam::VirtualMachine& vm,
                                                       unsigned frequency);

  std::string_view name() const override { return "tick"; }
  os::Status watch_growth(const beam::CarrierEntries& entries) override;

 private:
  using EbpfSource::EbpfSource;
  os::Status begin(pid_t tid, Watched& watched, const watched_thread& place) override;
  bool measures_off_cpu(const Watched&) const override { return true; }
  std::chrono::nanoseconds time_off_cpu(const Watched& watched,
                                        const off_cpu_time& time) const override;
};

}  // namespace beam_exporter::sampling
