#pragma once

#include <chrono>

namespace beam_exporter::sampling {

// What samples cannot tell of a thread. It was not on a CPU and still not asleep: in the midst of
// work (preempted, or blocked by a lock or a device; in the work of ports and NIFs apart), or
// preempted while it spun.
struct OffCpu {
  std::chrono::nanoseconds working{}, in_port{}, in_nif{}, spinning{};
  std::chrono::nanoseconds spun{};  // on a CPU, too short to be sampled
  std::chrono::nanoseconds lost{};  // on a CPU, in samples that were lost
};

}  // namespace beam_exporter::sampling
