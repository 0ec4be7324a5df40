#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "beam/virtual_machine.h"
#include "fakes/fake_memory.h"

namespace beam_exporter::tests {

// A real VM as it once was: the part of its memory that attaching, the checks and some lookups read
// (NAME.memory), and beside it (NAME.json) its executable's description and its own account of
// itself. Made by record_vm; see tests/recordings/README.md.
class Recording {
 public:
  explicit Recording(const std::string& name);  // "otp-25"; throws when it cannot be read

  FakeMemory memory;
  nlohmann::json account;  // functions, processes, registered, stacks as witness.erl tells them
  std::string otp_release, erts_version;

  // What is known before memory is looked into, with the layout we ship for that release.
  beam::VirtualMachine::Description description() const;

 private:
  nlohmann::json executable_, map_;
};

// The description as JSON. `map` keeps no paths: they are the recording machine's.
nlohmann::json describe_executable(const beam::VirtualMachine::Description& description);
nlohmann::json describe_map(const os::MemoryMap& map);
std::string recording_path(const std::string& name);  // without its ending

}  // namespace beam_exporter::tests
