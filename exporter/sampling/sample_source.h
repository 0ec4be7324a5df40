#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "beam/allocators/carrier_functions.h"
#include "elf/loaded_objects.h"
#include "os/result.h"
#include "sampling/losses.h"
#include "sampling/off_cpu.h"
#include "sampling/raw_sample.h"
#include "sampling/thread_choice.h"

namespace beam_exporter::sampling {

// What the user wants; `automatic` takes the first of the others that is allowed, in this order,
// but the tick before eBPF where there are not enough descriptors for all threads.
enum class SourceChoice { automatic, ebpf, tick, perf };

// What samples the threads of one VM: eBPF, perf, or a script in a test. Used by one thread.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::string_view name() const = 0;

  // Begins to sample threads that have appeared and forgets those that ended. Called at attach and
  // every second or so. Error: not a single thread can be sampled, and why.
  virtual os::Status refresh_threads() = 0;

  // What becomes readable when there are samples; changes with refresh_threads() and collect().
  virtual const std::vector<pollfd>& descriptors() const = 0;

  // Takes everything there is, completed as far as this source does.
  virtual void collect(SampleBatch& batch) = 0;

  // How long samples may wait to be collected though no descriptor is readable.
  virtual std::chrono::milliseconds patience() const { return std::chrono::milliseconds::max(); }

  // The roles sampled now.
  virtual std::vector<beam::ThreadRole> roles() const = 0;

  // The others, where not all threads can be sampled.
  virtual Unwatched unwatched() const { return {}; }

  // Samples in system calls are seen too (false without CAP_PERFMON).
  virtual bool sees_kernel() const = 0;

  // Since the source was made.
  virtual Losses losses() const = 0;

  // nullopt when this source cannot tell.
  virtual std::optional<SourceCost> cost() const { return std::nullopt; }

  // Of a sampled thread, since it is sampled; nullopt when this source cannot tell.
  virtual std::optional<OffCpu> off_cpu(beam::ThreadRole) const { return std::nullopt; }

  // From now on growth is collected as well, at each entry into one of these functions.
  // Errors: unsupported (this source cannot), as os::open_function_entry_event.
  virtual os::Status watch_growth(const std::vector<beam::CarrierFunction>&) {
    return os::Error{os::ErrorKind::unsupported, "only sampling by eBPF can"};
  }

  // The target's ELF files as this source has opened them; nullptr when it opens none.
  virtual elf::LoadedObjects* objects() { return nullptr; }
};

}  // namespace beam_exporter::sampling
