#include "attribution/attributor.h"

#include <utility>

#include "attribution/erlang_functions.h"

namespace beam_exporter::attribution {

namespace {

bool is_scheduler(beam::ThreadKind kind) {
  return kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu ||
         kind == beam::ThreadKind::dirty_io;
}

// Whether the C frames end in JIT code, which has called them; also true for JIT code without C
// frames.
bool called_by_jit(const sampling::ObservedThread& seen) {
  if (seen.role.kind != beam::ThreadKind::normal) return false;
  return seen.native.empty() ? seen.top.instruction.has_value()
                             : seen.native_end == elf::UnwindEnd::reached;
}

namespace process_flags = beam::process_flags;

ProcessMarks marks(const sampling::ObservedThread& seen) {
  if (!seen.process) return {};
  const std::uint32_t state = seen.process->state;
  return {.runs_code = (state & process_flags::running) != 0,
          .serves_others = (state & process_flags::running_sys) != 0,
          .in_dirty_loop = (state & process_flags::dirty_running_sys) != 0,
          .has_dirty_task = seen.process->dirty_tasks != 0};
}

// The scheduler tells for the time of the call (erts_pre_nif and erts_post_nif in erl_nif.c, OTP
// 25, 27 and 29).
bool has_nif(const sampling::ObservedThread& seen) {
  return seen.scheduler && seen.scheduler->current_nif != 0;
}

// The unwinding may have ended in a frame larger than the copied stack, as RSA in libcrypto has it.
// Then only the scheduler's current_nif tells that this is a NIF.
bool in_library_of_nif(const sampling::ObservedThread& seen,
                       const std::vector<const NativeMeaning*>& chain) {
  return has_nif(seen) && !chain.empty() && !chain.back()->in_executable;
}

// Where the loop of a dirty scheduler has no name: while it has a process, it does nothing else
// (erts_dirty_process_main in beam_common.c, OTP 25, 27 and 29).
bool runs_process_on_dirty(const sampling::ObservedThread& seen) {
  return seen.role.kind != beam::ThreadKind::normal && seen.has_process();
}

// Where the function that calls NIFs has no name.
bool in_unknown_nif(const sampling::ObservedThread& seen, const NativeState& state) {
  return has_nif(seen) && state.for_process && state.bif == nullptr;
}

// For a complete stack without a function: the process has not begun yet, or has returned from its
// first function. If JIT code has no process, its last process has just ended.
std::optional<PseudoFunction> without_functions(const sampling::ObservedThread& seen,
                                                const ErlangFunctions& erlang) {
  if (erlang.unattributed != Unattributed::no_function || erlang.truncated) return std::nullopt;
  if (!seen.process)
    return seen.native.empty() ? std::optional(PseudoFunction::exit) : std::nullopt;
  return (seen.process->state & process_flags::exiting) != 0 ? PseudoFunction::exit
                                                             : PseudoFunction::scheduling;
}

}  // namespace

Attributor::Attributor(beam::VirtualMachine& vm, elf::LoadedObjects& objects)
    : vm_(&vm), native_(vm, objects), called_(vm, native_) {
  knows_aux_work_ = native_.knows("handle_aux_work");
}

NativeState Attributor::native_state(const sampling::ObservedThread& seen) {
  const bool by_jit = called_by_jit(seen);
  const std::size_t frames = seen.native.size() - (by_jit && !seen.native.empty() ? 1 : 0);
  chain_.clear();
  for (std::size_t k = 0; k < frames; ++k) chain_.push_back(&native_.at(seen.native[k], k == 0));
  // The interpreter calls NIFs itself (call_nif in beam/bif_instrs.tab, OTP 23;
  // beam/emu/bif_instrs.tab in 25 and 27), so that no frame tells.
  const bool calls_nif = by_jit && vm_->interpreter() != nullptr && has_nif(seen);
  NativeState state = state_of(chain_, {.kind = seen.role.kind,
                                        .called_by_jit = by_jit,
                                        .calls_nif = calls_nif,
                                        .has_process = seen.has_process(),
                                        .scheduler = seen.scheduler,
                                        .ets = called_.ets(),
                                        .knows_aux_work = knows_aux_work_,
                                        .process = marks(seen),
                                        .hidden_in_collections = native_.hidden_in_collections()});
  if (by_jit && !native_.knows(Effect::nif) && in_unknown_nif(seen, state)) state.assume_nif();
  if (!state.told && !by_jit && is_scheduler(seen.role.kind)) {
    if (in_library_of_nif(seen, chain_))
      state.assume_nif();
    else if (runs_process_on_dirty(seen) && !native_.knows(Effect::dirty_process))
      state.assume_process();
    else
      state.assume_nothing(seen.has_process());
  }
  return state;
}

Attribution Attributor::attribute(const sampling::ObservedThread& seen, bool code_is_known) {
  const NativeState native = native_state(seen);
  Attribution out{.state = native.state,
                  .basic_state = native.basic_state,
                  .for_process = native.for_process,
                  .in_nif = native.in_nif,
                  .families = native.families};

  ErlangFunctions erlang;
  if (native.for_process && !native.pseudo)
    erlang = code_is_known ? erlang_functions(seen, vm_->code(), native.scheduling)
                           : unknown_functions(seen);
  out.self = erlang.self;
  out.inclusive = std::move(erlang.inclusive);
  out.stack = std::move(erlang.stack);
  out.truncated = erlang.truncated;
  if (native.for_process) out.pseudo = native.pseudo;
  if (!native.unknown && !out.pseudo) out.pseudo = without_functions(seen, erlang);

  CalledName called = called_.name(seen, native);
  out.bif = called.bif;
  out.nif = called.nif;
  out.nif_code = std::move(called.nif_code);
  if (called.state) out.state = *called.state;

  // Only Erlang code (state `emulator`) must have a function; the other states explain themselves.
  if (native.unknown && !out.self)
    out.unattributed = Unattributed::unknown_native_code;
  else if (out.state == State::emulator && !out.pseudo)
    out.unattributed = erlang.unattributed;
  return out;
}

void Attributor::update() {
  native_.update();
  called_.forget();
}

}  // namespace beam_exporter::attribution
