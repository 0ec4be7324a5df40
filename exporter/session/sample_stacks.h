#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "attribution/attributor.h"
#include "os/perf/kernel_symbols.h"
#include "profile/recorder.h"
#include "sampling/losses.h"
#include "sampling/raw_sample.h"
#include "totals/labels.h"

namespace beam_exporter::session {

// Remembers the names of the frames of one VM while somebody records a profile: each frame is named
// once. One per attached VM; one thread.
class SampleStacks {
 public:
  // Both must outlive it.
  SampleStacks(beam::VirtualMachine& vm, profile::Recorder& recorder)
      : vm_(&vm), recorder_(&recorder) {}

  // Call it for each new source: a source counts its losses from 0.
  void begin_source() { lost_ = 0; }
  // Call it while nobody records: losses that were before a recording do not count for it.
  void skip_losses(const sampling::Losses& losses);
  // From now on a stack begins with the functions of the kernel that ran. Without names, and where
  // the source cannot tell them, they are one frame: "kernel_[k]".
  void name_kernel(std::shared_ptr<const os::KernelSymbols> symbols) {
    kernel_symbols_ = std::move(symbols);
  }
  // The names of the bits of Attribution::families.
  void set_blamed(std::vector<std::string> natives) { blamed_ = std::move(natives); }
  // The frames of the last sample that was added, innermost first; of them C functions.
  const std::vector<profile::Index>& last() const { return stack_; }
  std::size_t last_native() const { return native_frames_; }

 private:
  friend class StackBatch;
  using Frame = std::optional<profile::Index>;  // nullopt: the table had no room

  beam::VirtualMachine* vm_;
  profile::Recorder* recorder_;
  // By the address of the call or of the function: its frame in the table of `epoch_`.
  std::unordered_map<os::Address, Frame> erlang_, native_;
  std::unordered_map<beam::Mfa, Frame, beam::MfaHash> bifs_, nifs_;
  std::shared_ptr<const os::KernelSymbols> kernel_symbols_;  // nullptr: left out
  std::unordered_map<const char*, Frame> kernel_;            // by the name in `kernel_symbols_`
  std::uint64_t epoch_ = 0, code_generation_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<std::string> blamed_;
  std::vector<profile::Index> stack_;  // of the last sample
  std::size_t native_frames_ = 0;      // of these
};

// Adds the samples of one batch to all open windows. Each sample becomes a stack: Erlang functions
// at the bottom, the BIF or NIF above them, then C functions, then those of the kernel.
class StackBatch {
 public:
  explicit StackBatch(SampleStacks& stacks);

  // `native` is Attributor::native_frames() of this sample.
  void add(const sampling::RawSample& sample, const attribution::Attribution& meaning,
           std::span<const attribution::NativeMeaning* const> native,
           const totals::SampleLabels& labels);
  // `losses`: of the source, since it began.
  void set_losses(const sampling::Losses& losses);

 private:
  using Frame = SampleStacks::Frame;

  void push(Frame frame);
  void push_other(std::string_view what);
  void push_kernel(const sampling::RawSample& sample);
  void push_native(std::span<const attribution::NativeMeaning* const> native);
  void push_called(const attribution::Attribution& meaning);
  void push_erlang(const attribution::Attribution& meaning);
  void push_bottom(const sampling::RawSample& sample, const attribution::Attribution& meaning);
  std::vector<std::string> natives_of(const attribution::Attribution& meaning) const;
  Frame erlang_frame(const beam::ErlangFrame& frame);

  SampleStacks& names_;
  profile::Recorder::Batch batch_;
  bool complete_ = true;  // the table had room for all frames of this stack
};

}  // namespace beam_exporter::session
