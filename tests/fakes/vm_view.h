#pragma once

#include <set>
#include <string>
#include <vector>

#include "beam/processes/process_fields.h"
#include "beam/virtual_machine.h"

// The results of the exporter's readers for a VM, in the form of the VM's own account
// (tests/targets/witness.erl). Live and recorded tests compare the two.
namespace beam_exporter::tests {

struct Pid {
  std::uint64_t number = 0, serial = 0;  // <0.number.serial>
  friend auto operator<=>(const Pid&, const Pid&) = default;
};
Pid pid_of(const beam::VirtualMachine& vm, beam::Eterm id);

// Every loaded module, old versions too.
std::vector<const beam::CodeModule*> modules_of(beam::VirtualMachine& vm);
std::string module_name(beam::VirtualMachine& vm, const beam::CodeModule& module);
// "module:function/arity", with the Elixir prefix.
std::string full_name(beam::VirtualMachine& vm, const beam::Mfa& mfa);
std::set<std::string> functions_of(beam::VirtualMachine& vm, const beam::CodeModule& module);

std::vector<beam::ProcessFields> processes_of(beam::VirtualMachine& vm);
// Empty when the process has no name.
std::string registered_name(beam::VirtualMachine& vm, const beam::ProcessFields& process);

// The stack of a process that does not run: "module:function/arity file:line", youngest first. Of
// equal neighbours (body recursion) only one, as the VM does.
std::vector<std::string> frames_of(beam::VirtualMachine& vm, const beam::ProcessFields& process);

}  // namespace beam_exporter::tests
