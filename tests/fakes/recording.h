#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "beam/virtual_machine.h"
#include "fakes/fake_memory.h"

namespace beam_exporter::tests {

// A recorded real VM. NAME.memory is the part of its memory that attaching, the checks and some
// look-ups read. NAME.json is the description of its executable and the VM's own account. record_vm
// makes both; see tests/recordings/README.md.
class Recording {
 public:
  explicit Recording(const std::string& name);  // "otp-25"; throws when it cannot be read

  FakeMemory memory;
  nlohmann::json account;  // functions, processes, registered, stacks: from witness.erl
  beam::Release release;

  // The facts that are known before memory is read, with the shipped layout of that version.
  beam::VirtualMachine::Description description() const;

 private:
  nlohmann::json executable_, map_;
};

// The description as JSON. `map` has no paths, because they belong to the machine that recorded.
nlohmann::json describe_executable(const elf::Image& image, std::uint64_t bias);
// Adds the symbols that the executable does not have, at the places that attaching has found.
void describe_found(const beam::StaticData& found, nlohmann::json& executable);
nlohmann::json describe_map(const os::MemoryMap& map);
std::string recording_path(const std::string& name);  // without the suffix

}  // namespace beam_exporter::tests
