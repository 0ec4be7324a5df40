#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "beam/processes/process_fields.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::session {

// What a process is called in labels, as beam::process_name tells it, for processes that are
// sampled again and again. One thread.
class ProcessNames {
 public:
  explicit ProcessNames(beam::VirtualMachine& vm) : vm_(&vm) {}

  // As known at `when` (CLOCK_MONOTONIC): a process may register later than it starts, so a name is
  // looked up anew every second or so. nullptr when the atoms cannot be read. Valid until the next
  // call.
  const std::string* name(const beam::ProcessFields& process, std::chrono::nanoseconds when);

 private:
  struct Known {
    std::string name;
    std::chrono::nanoseconds looked_up{};
  };
  std::optional<std::string> read(const beam::ProcessFields& process) const;

  beam::VirtualMachine* vm_;
  std::unordered_map<beam::Eterm, Known> known_;  // by process id
};

}  // namespace beam_exporter::session
