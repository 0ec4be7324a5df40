#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include "beam/processes/process_fields.h"
#include "beam/virtual_machine.h"

namespace beam_exporter::session {

// The label of a process, as beam::process_name makes it, for processes that are sampled again and
// again. One thread.
class ProcessNames {
 public:
  explicit ProcessNames(beam::VirtualMachine& vm) : vm_(&vm) {}

  // The name as known at `when` (CLOCK_MONOTONIC). A process may register long after its start, so
  // its name is read again after a second. nullptr when the atoms cannot be read. Valid until the
  // next call.
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
