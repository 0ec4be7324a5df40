#pragma once

#include <cstddef>
#include <span>

#include "beam/virtual_machine.h"
#include "os/perf/perf_ring.h"
#include "sampling/bpf/sample_record.h"
#include "sampling/native_reader.h"
#include "sampling/raw_sample.h"

namespace beam_exporter::sampling {

struct RecordParts;

// Decodes the records of the BPF program. Everything in a record is of one instant, so the read
// delay is 0. One thread.
class RecordReader {
 public:
  // `vm` and `native` must outlive the reader.
  RecordReader(const beam::VirtualMachine& vm, NativeReader& native) : vm_(&vm), native_(&native) {}

  // `scheduler` is null for threads that never execute processes. False: the record is malformed.
  bool read(std::span<const std::byte> bytes, const beam::Scheduler* scheduler, RawSample& out);
  // The same for a record whose RecordHead says `growth`.
  bool read(std::span<const std::byte> bytes, const beam::Scheduler* scheduler, GrowthEvent& out);

 private:
  void observe(const RecordParts& parts, const beam::Scheduler* scheduler, ObservedThread& out);
  void in_jit_code(const RecordParts& parts, const beam::Scheduler& scheduler, ObservedThread& out);
  void in_interpreter(const RecordParts& parts, ObservedThread& out);
  void in_native_code(const RecordParts& parts, const beam::Scheduler* scheduler,
                      ObservedThread& out);
  std::optional<std::uint64_t> reductions(const sample_record& record) const;
  void take_unbounded(const RecordParts& parts, os::Address e, ObservedThread& out) const;
  void take_stack(const RecordParts& parts, os::Address e, ObservedThread& out) const;

  const beam::VirtualMachine* vm_;
  NativeReader* native_;
};

// The sample as the perf source would have got it from the kernel: registers, and the stack from
// rsp. Its `stack` points into `bytes`. Precondition: RecordReader::read() has accepted `bytes`.
os::PerfSample as_perf_sample(std::span<const std::byte> bytes);

// The thread and the kind of a record; nullopt when the record is too short.
struct RecordHead {
  std::uint32_t thread = 0;  // its index in the map `threads`
  bool growth = false;       // a GrowthEvent, not a RawSample
};
std::optional<RecordHead> head_of(std::span<const std::byte> bytes);

}  // namespace beam_exporter::sampling
