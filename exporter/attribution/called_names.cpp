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
  // Read in the sampled instant it is the NIF's, whatever its C function jumped to.
  if (!out.nif && seen.read_delay == std::chrono::nanoseconds(0))
    out.nif = called_.trusted(current);
  if (!out.nif) out.nif_code = state.nif != nullptr ? state.nif->name : "call_nif";
}

// No frame is a BIF's own.
void CalledNames::name_bif(const sampling::ObservedThread& seen, const NativeState& state,
                           CalledName& out) {
  const NativeMeaning& outermost = *state.outermost;
  if (outermost.part_of != nullptr)
    if (const auto* bif = called_by_code(seen, *outermost.part_of)) {
      out.bif = bif->mfa;
      return;
    }
  // What goes on after a yield is a static function that no table names.
  if (outermost.exported || outermost.start == 0) return;
  out.bif = called_.name(outermost.start, current_of(seen));
  if (out.bif && (state.state == State::emulator || state.state == State::bif))
    out.state = out.bif->module == ets_ ? State::ets : State::bif;
}

// Where several BIFs of a module have jumped to one function, the code that called tells which it
// was: it has the address of the C function in it, a few instructions before the call that the top
// of the Erlang stack returns to (emit_call_light_bif in jit/x86/instr_bif.cpp, OTP 25 and 27).
const beam::Bif* CalledNames::called_by_code(const sampling::ObservedThread& seen,
                                             const beam::Bif& like) const {
  if (seen.young_words.empty()) return nullptr;
  std::array<std::byte, 32> code;
  if (!vm_->memory().read(seen.young_words.front() - code.size(), code)) return nullptr;
  for (std::size_t at = code.size() - sizeof(os::Address) + 1; at-- > 0;) {
    os::Address function = 0;
    std::memcpy(&function, code.data() + at, sizeof function);
    const auto* bif = native_->bif_at(function);
    if (bif != nullptr && bif->mfa.module == like.mfa.module) return bif;
  }
  return nullptr;
}

}  // namespace beam_exporter::attribution
