#include "attribution/attributor.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace beam_exporter::attribution {

namespace {

bool is_scheduler(beam::ThreadKind kind) {
  return kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu ||
         kind == beam::ThreadKind::dirty_io;
}

// C code that JIT code called: its frames end in that.
bool called_by_jit(const sampling::RawSample& sample) {
  if (sample.role.kind != beam::ThreadKind::normal) return false;
  return sample.native.empty() ? sample.top.instruction.has_value()
                               : sample.native_end == elf::UnwindEnd::reached;
}

// ERTS_PSFLG_* (erts/emulator/beam/erl_process.h, OTP 25 and 27).
constexpr std::uint32_t exiting = 1u << 11, running = 1u << 15, running_sys = 1u << 21,
                        dirty_running_sys = 1u << 30;

ProcessMarks marks(const sampling::RawSample& sample) {
  if (!sample.process) return {};
  const std::uint32_t state = sample.process->state;
  return {.runs_code = (state & running) != 0,
          .serves_others = (state & running_sys) != 0,
          .in_dirty_loop = (state & dirty_running_sys) != 0,
          .has_dirty_task = sample.process->dirty_tasks != 0};
}

// Its whole stack is known and no function is on it: it has not begun yet, or has returned from its
// first function. Where JIT code has no process, the one before has just ended.
std::optional<PseudoFunction> without_functions(const sampling::RawSample& sample,
                                                const Attribution& meaning) {
  if (meaning.unattributed != Unattributed::no_function || meaning.truncated) return std::nullopt;
  if (!sample.process)
    return sample.native.empty() ? std::optional(PseudoFunction::exit) : std::nullopt;
  return (sample.process->state & exiting) != 0 ? PseudoFunction::exit : PseudoFunction::scheduling;
}

}  // namespace

Attributor::Attributor(beam::VirtualMachine& vm, elf::LoadedObjects& objects)
    : vm_(&vm), native_(vm, objects), called_(vm) {
  tells_aux_work_ = native_.tells("handle_aux_work");
  if (const auto* bif = native_.bif_named("ets_insert_2")) ets_ = bif->mfa.module;
}

NativeState Attributor::native_state(const sampling::RawSample& sample) {
  const bool by_jit = called_by_jit(sample);
  const std::size_t frames = sample.native.size() - (by_jit && !sample.native.empty() ? 1 : 0);
  chain_.clear();
  for (std::size_t k = 0; k < frames; ++k) chain_.push_back(&native_.at(sample.native[k], k == 0));
  NativeState state = state_of(chain_, {.kind = sample.role.kind,
                                        .called_by_jit = by_jit,
                                        .has_process = sample.process || sample.process_unreadable,
                                        .scheduler = sample.scheduler,
                                        .ets = ets_,
                                        .tells_aux_work = tells_aux_work_,
                                        .process = marks(sample),
                                        .hidden_in_collections = native_.hidden_in_collections()});
  if (!state.told && !by_jit && in_library_of_nif(sample)) {
    state.told = state.in_nif = state.for_process = true;
    state.state = State::nif;
    state.folded = State::emulator;
  }
  return state;
}

// Hand-written assembly, as libcrypto's, may break the unwinding; then only the scheduler tells.
bool Attributor::in_library_of_nif(const sampling::RawSample& sample) const {
  return is_scheduler(sample.role.kind) && sample.scheduler && sample.scheduler->current_nif != 0 &&
         !chain_.empty() && !chain_.back()->in_executable;
}

Attribution Attributor::attribute(const sampling::RawSample& sample, bool code_is_known) {
  const NativeState native = native_state(sample);
  const bool lost = is_scheduler(sample.role.kind) && !native.told && !called_by_jit(sample);
  const bool for_process = lost ? sample.process || sample.process_unreadable : native.for_process;
  Attribution out;
  if (for_process && native.pseudo) {
    out.pseudo = native.pseudo;
  } else if (for_process) {
    out = code_is_known ? attribute_process(sample, vm_->code(), native.scheduling)
                        : nameless(sample);
    if (!lost) out.pseudo = without_functions(sample, out);
    if (out.pseudo) out.unattributed.reset();
  }
  out.for_process = for_process;
  if (lost) {
    if (!out.self) out.unattributed = Unattributed::unknown_native_code;
    return out;
  }
  out.state = native.state;
  out.folded = native.folded;
  out.families = native.families;
  name_called(sample, native, out);
  // A state of its own says enough: only Erlang code has to have a function.
  if (out.state != State::emulator) out.unattributed.reset();
  return out;
}

// Where several BIFs of a module have jumped to one function, the code that called tells which it
// was: it has the address of the C function in it, a few instructions before the call that the top
// of the Erlang stack returns to (emit_call_light_bif in jit/x86/instr_bif.cpp, OTP 25 and 27).
const beam::Bif* Attributor::called_bif(const sampling::RawSample& sample,
                                        const beam::Bif& like) const {
  if (sample.young_words.empty()) return nullptr;
  std::array<std::byte, 32> code;
  if (!vm_->memory().read(sample.young_words.front() - code.size(), code)) return nullptr;
  for (std::size_t at = code.size() - sizeof(os::Address) + 1; at-- > 0;) {
    os::Address function = 0;
    std::memcpy(&function, code.data() + at, sizeof function);
    const auto* bif = native_.bif_at(function);
    if (bif != nullptr && bif->mfa.module == like.mfa.module) return bif;
  }
  return nullptr;
}

void Attributor::name_called(const sampling::RawSample& sample, const NativeState& state,
                             Attribution& out) {
  const os::Address current = sample.process ? sample.process->current : 0;
  if (state.bif != nullptr) out.bif = state.bif->mfa;
  out.in_nif = state.in_nif;
  if (state.in_nif) {
    if (state.nif != nullptr) out.nif = called_.name(state.nif->start, current);
    // Read in the sampled instant it is the NIF's, whatever its C function jumped to.
    if (!out.nif && sample.skid == std::chrono::nanoseconds(0)) out.nif = called_.trusted(current);
    if (!out.nif) out.nif_code = state.nif != nullptr ? state.nif->name : "call_nif";
    return;
  }
  const NativeMeaning* outermost = state.outermost;
  if (state.bif == nullptr && outermost != nullptr && outermost->part_of != nullptr)
    if (const auto* bif = called_bif(sample, *outermost->part_of)) {
      out.bif = bif->mfa;
      return;
    }
  // What goes on after a yield is a static function that no table names.
  if (state.bif != nullptr || outermost == nullptr || outermost->exported || outermost->start == 0)
    return;
  out.bif = called_.name(outermost->start, current);
  if (out.bif && (out.state == State::emulator || out.state == State::bif))
    out.state = out.bif->module == ets_ ? State::ets : State::bif;
}

void Attributor::update() {
  native_.update();
  called_.forget();
}

}  // namespace beam_exporter::attribution
