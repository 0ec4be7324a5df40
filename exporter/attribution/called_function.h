#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "beam/virtual_machine.h"

namespace beam_exporter::attribution {

// Names the Erlang function of a C function that is in no table of the VM: a NIF, or a BIF that
// continues after a yield. While it runs, Process.current points to its ErtsCodeMFA, and the
// address of the C function follows soon after that (ErtsNativeFunc in emit_call_nif,
// beam/jit/x86/instr_bif.cpp; struct export_ in beam/export.h; OTP 25 and 27). Process.current may
// have been read later than the sample. So the name is valid only if the C function that we saw is
// there; then it is remembered. One thread.
class CalledFunction {
 public:
  explicit CalledFunction(const beam::VirtualMachine& vm) : vm_(&vm) {}

  // `c_function` is the address of the C function, `current` is Process.current.
  std::optional<beam::Mfa> name(os::Address c_function, os::Address current);

  // The name at `current` now, without a C function to compare with: for a process that stands
  // still. The struct of a dirty NIF gets other names as long as the process lives
  // (erts_nfunc_schedule, beam/erl_nfunc_sched.c, OTP 25 and 27).
  std::optional<beam::Mfa> name_at(os::Address current) const;
  // The words of an ErtsCodeMFA as a name; nullopt: they are none.
  static std::optional<beam::Mfa> decoded(std::span<const std::uint64_t, 3> words);

  // Call it when libraries may have been loaded or unloaded: another function may be at a known
  // address.
  void forget() { known_.clear(); }

 private:
  const beam::VirtualMachine* vm_;
  std::unordered_map<os::Address, beam::Mfa> known_;
};

}  // namespace beam_exporter::attribution
