#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "os/result.h"
#include "sampling/sample_source.h"

namespace beam_exporter::beam {
class VirtualMachine;
}

namespace beam_exporter::session {

// The threads of a VM beside the descriptors that eBPF may open for them.
struct ThreadRoom {
  std::size_t threads = 0;
  std::uint64_t descriptors_left = 0;  // below the reserve, of the limit
  std::uint64_t descriptor_limit = 0;
  bool growth_wanted = false;  // only eBPF sees it, of the threads that it has room for

  // Why `automatic` prefers the tick; empty: it does not.
  std::string reason_for_tick() const;
};

// What to try, one after the other until one is allowed. Pure.
std::vector<sampling::SourceChoice> sources_to_try(sampling::SourceChoice choice,
                                                   const ThreadRoom& room);

struct RefusedSource {
  std::string_view source;
  os::Error error;
};

struct ChosenSource {
  std::unique_ptr<sampling::SampleSource> source;  // null: none is allowed here
  std::vector<RefusedSource> refused;              // better or wanted ones, and why not
  std::string remark;  // why the tick was taken before eBPF; empty: it was not

  // What is lost by this choice, why, and the mend, in one line; empty: nothing is.
  std::string complaint() const;
};

// Starts to sample `vm`, which outlives the source.
ChosenSource start_source(const beam::VirtualMachine& vm, sampling::SourceChoice choice,
                          unsigned frequency, bool growth_wanted);

}  // namespace beam_exporter::session
