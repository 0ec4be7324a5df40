#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/perf/perf_event.h"
#include "os/result.h"
#include "sampling/sample_source.h"

namespace beam_exporter::beam {
class VirtualMachine;
}

namespace beam_exporter::session {

// The threads of a VM, and the descriptors that eBPF may open for them.
struct ThreadRoom {
  std::size_t threads = 0;
  std::uint64_t descriptors_left = 0;  // of the limit, without the reserve
  std::uint64_t descriptor_limit = 0;
  bool growth_wanted = false;  // only eBPF sees growth, of the threads it has room for

  // Why `automatic` prefers the tick; empty: it prefers eBPF.
  std::string reason_for_tick() const;
};

// The sources to try in this order; the first that is allowed is taken. Pure.
std::vector<sampling::SourceChoice> sources_to_try(sampling::SourceChoice choice,
                                                   const ThreadRoom& room);

struct RefusedSource {
  std::string_view source;
  os::Error error;
};

struct ChosenSource {
  std::unique_ptr<sampling::SampleSource> source;  // null: none is allowed here
  std::vector<RefusedSource> refused;              // better or wanted sources, each with its error
  std::string remark;  // why the tick was tried before eBPF; empty: it was not

  // What is lost by this choice, why, and the remedy, in one line; empty: nothing is lost.
  std::string complaint() const;
};

// Starts to sample `vm`, which must outlive the source.
ChosenSource start_source(const beam::VirtualMachine& vm, sampling::SourceChoice choice,
                          unsigned frequency, bool growth_wanted,
                          os::KernelStacks kernel = os::KernelStacks::left_out);

}  // namespace beam_exporter::session
