#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "beam/allocators/inlined_carriers.h"
#include "elf/loaded_objects.h"
#include "os/result.h"
#include "sampling/losses.h"
#include "sampling/off_cpu.h"
#include "sampling/raw_sample.h"
#include "sampling/thread_choice.h"

namespace beam_exporter::sampling {

// The user's choice. `automatic` takes the first of the others that the kernel allows, in this
// order; but it tries the tick before eBPF where there are not enough descriptors for all threads.
enum class SourceChoice { automatic, ebpf, tick, perf };

// Samples the threads of one VM, by eBPF, the tick or perf, or from a script in a test. One thread.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::string_view name() const = 0;

  // Begins to sample new threads and forgets those that have ended. Called at attach and about
  // every second. Error: no thread can be sampled; the text says why.
  virtual os::Status refresh_threads() = 0;

  // These become readable when there are samples. The list changes with refresh_threads() and
  // collect().
  virtual const std::vector<pollfd>& descriptors() const = 0;

  // Adds all samples that are ready to `batch`.
  virtual void collect(SampleBatch& batch) = 0;

  // collect() must be called at least this often, even when no descriptor is readable.
  virtual std::chrono::milliseconds longest_wait() const {
    return std::chrono::milliseconds::max();
  }

  // The roles of the threads that are sampled now.
  virtual std::vector<beam::ThreadRole> roles() const = 0;

  // The other threads, where not all can be sampled.
  virtual Unwatched unwatched() const { return {}; }

  // Whether there are samples inside system calls too (false without CAP_PERFMON).
  virtual bool sees_kernel() const = 0;

  // Since the source was made.
  virtual Losses losses() const = 0;

  // nullopt when this source cannot tell.
  virtual std::optional<SourceCost> cost() const { return std::nullopt; }

  // Of one sampled thread, since its sampling began; nullopt when this source cannot tell.
  virtual std::optional<OffCpu> off_cpu(beam::ThreadRole) const { return std::nullopt; }

  // From now on, collect() also returns a growth event for each call of these functions. Errors:
  // unsupported (this source cannot do it), and those of os::open_function_entry_event.
  virtual os::Status watch_growth(const beam::CarrierEntries&) {
    return os::Error{os::ErrorKind::unsupported, "only the eBPF source can watch it"};
  }

  // How often the places of an interpreter have held.
  virtual InterpreterProofs proofs() const { return {}; }

  // The target's ELF files that this source has opened; nullptr when it opens none.
  virtual elf::LoadedObjects* objects() { return nullptr; }
};

}  // namespace beam_exporter::sampling
