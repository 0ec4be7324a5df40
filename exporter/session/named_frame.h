#pragma once

#include "beam/code/stack.h"
#include "beam/virtual_machine.h"
#include "profile/profile.h"

namespace beam_exporter::session {

// A frame of an Erlang stack as text. It reads the VM's memory: remember the result. `code` and
// `atoms` are the calling thread's own; the observing thread's are those of the VM.
struct NamedFrame {
  profile::Function function;
  std::uint32_t line = 0;  // in function.file; 0: not known
};
NamedFrame named_frame(const beam::VirtualMachine& vm, beam::CodeIndex& code, beam::Atoms& atoms,
                       const beam::ErlangFrame& frame);

// Without its file. Of kind `other` when its name cannot be read.
profile::Function named_function(beam::Atoms& atoms, profile::FunctionKind kind,
                                 const beam::Mfa& mfa);

}  // namespace beam_exporter::session
