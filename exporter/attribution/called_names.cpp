#include "attribution/called_names.h"

#include <array>
#include <cstring>

namespace beam_exporter::attribution {

namespace {

os::Address current_of(const sampling::ObservedThread& seen) {
  return seen.process ? seen.process->current : 0;
}

}  // namespace

CalledNames::CalledNames(const beam::VirtualMachine& vm, const NativeCode& native)
    : vm_(&vm), native_(&native), called_(vm) {
  if (const auto* bif = native.bif_named("ets_insert_2")) ets_ = bif->mfa.module;
}

CalledName CalledNames::name(const sampling::ObservedThread& seen, const NativeState& state) {
  CalledName out;
  if (state.bif != nullptr) out.bif = state.bif->mfa;
  if (state.in_nif)
    name_nif(seen, state, out);
  else if (state.bif == nullptr && state.outermost != nullptr)
    name_bif(seen, state, out);
  return out;
}

void CalledNames::name_nif(const sampling::ObservedThread& seen, const NativeState& state,
                           CalledName& out) {
  const os::Address current = current_of(seen);
  if (state.nif != nullptr) out.nif = called_.name(state.nif->start, current);
  // What was read at the sampled instant names the NIF, even if its C function has jumped to
  // another one, as those of prim_file do.
  if (!out.nif && seen.called) out.nif = CalledFunction::decoded(*seen.called);
  if (!out.nif) out.nif_code = state.nif != nullptr ? state.nif->name : "call_nif";
}

// For C frames without the function of a BIF.
void CalledNames::name_bif(const sampling::ObservedThread& seen, const NativeState& state,
                           CalledName& out) {
  const NativeMeaning& outermost = *state.outermost;
  if (outermost.part_of != nullptr)
    if (const auto* bif = called_by_code(seen, *outermost.part_of)) {
      out.bif = bif->mfa;
      return;
    }
  // A BIF continues after a yield in a static function, which is in no table.
  if (outermost.exported || outermost.start == 0) return;
  out.bif = called_.name(outermost.start, current_of(seen));
  if (out.bif && (state.state == State::emulator || state.state == State::bif))
    out.state = out.bif->module == ets_ ? State::ets : State::bif;
}

// Several BIFs of a module may jump to the same function. Then the Erlang code tells which BIF it
// has called: that BIF's address is in the code, a few instructions before the call to which the
// top of the Erlang stack returns (emit_call_light_bif in beam/jit/x86/instr_bif.cpp, OTP 25 and
// 27).
const beam::Bif* CalledNames::called_by_code(const sampling::ObservedThread& seen,
                                             const beam::Bif& like) const {
  if (vm_->interpreter() != nullptr) return called_by_instruction(seen, like);
  if (seen.top_words.empty()) return nullptr;
  std::array<std::byte, 32> code;
  if (!vm_->memory().read(seen.top_words.front() - code.size(), code)) return nullptr;
  for (std::size_t at = code.size() - sizeof(os::Address) + 1; at-- > 0;) {
    os::Address function = 0;
    std::memcpy(&function, code.data() + at, sizeof function);
    const auto* bif = native_->bif_at(function);
    if (bif != nullptr && bif->mfa.module == like.mfa.module) return bif;
  }
  return nullptr;
}

// The interpreter calls a BIF by an instruction whose first operand is its address (call_light_bif
// and call_bif in beam/bif_instrs.tab, OTP 23; beam/emu/bif_instrs.tab, OTP 25 and 27).
const beam::Bif* CalledNames::called_by_instruction(const sampling::ObservedThread& seen,
                                                    const beam::Bif& like) const {
  if (!seen.top.instruction) return nullptr;
  const auto function =
      vm_->memory().value<os::Address>(*seen.top.instruction + sizeof(os::Address));
  const auto* bif = function ? native_->bif_at(*function) : nullptr;
  return bif != nullptr && bif->mfa.module == like.mfa.module ? bif : nullptr;
}

}  // namespace beam_exporter::attribution
