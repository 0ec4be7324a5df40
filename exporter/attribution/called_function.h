#pragma once

#include <optional>
#include <unordered_map>

#include "beam/virtual_machine.h"

namespace beam_exporter::attribution {

// Which Erlang function a C function is, for those that stand in no table of the VM: NIFs, and BIFs
// that go on after a yield. While one runs, Process.current points to its ErtsCodeMFA, and the
// address of the C function is written right behind that (ErtsNativeFunc, jit/x86/instr_bif.cpp
// emit_call_nif; struct export_, export.h; OTP 25 and 27). Process.current may have been read late:
// a name is taken only if the C function that we saw stands there, and is then remembered, since
// the C function was seen at the sampled instant. One thread.
class CalledFunction {
 public:
  explicit CalledFunction(const beam::VirtualMachine& vm) : vm_(&vm) {}

  // `c_function` is the first byte of what was called, `current` Process.current as it was read.
  std::optional<beam::Mfa> name(os::Address c_function, os::Address current);

  // For when the call itself left no frame: `current` was read at the sampled instant.
  std::optional<beam::Mfa> trusted(os::Address current) const;

  // Libraries may have come or gone: other functions may stand where known ones stood.
  void forget() { known_.clear(); }

 private:
  const beam::VirtualMachine* vm_;
  std::unordered_map<os::Address, beam::Mfa> known_;
};

}  // namespace beam_exporter::attribution
