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

struct RefusedSource {
  std::string_view source;
  os::Error error;
};

struct ChosenSource {
  std::unique_ptr<sampling::SampleSource> source;  // null: none can be had
  std::vector<RefusedSource> refused;              // better or wanted ones, and why not

  // What is lost by this choice, why, and the mend, in one line; empty: nothing is.
  std::string complaint() const;
};

// Starts to sample `vm`, which outlives the source.
ChosenSource start_source(const beam::VirtualMachine& vm, sampling::SourceChoice choice,
                          unsigned frequency);

}  // namespace beam_exporter::session
