#pragma once

#include <chrono>

namespace beam_exporter::sampling {

// Times of a thread that samples do not show, because the thread was not on a CPU, but did not
// sleep either: it was preempted or blocked (by a lock or a device) during work, or preempted while
// it spun. Work for ports and NIFs is counted separately.
struct OffCpu {
  std::chrono::nanoseconds working{}, in_port{}, in_nif{}, spinning{};
  std::chrono::nanoseconds spun{};  // on a CPU, for too short a time to be sampled
  std::chrono::nanoseconds lost{};  // on a CPU, in samples that were lost
};

}  // namespace beam_exporter::sampling
