#include "attribution/attributor.h"

#include <utility>

#include "attribution/erlang_functions.h"

namespace beam_exporter::attribution {

namespace {

bool is_scheduler(beam::ThreadKind kind) {
  return kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu ||
         kind == beam::ThreadKind::dirty_io;
}

// C code that JIT code called: its frames end in that.
bool called_by_jit(const sampling::ObservedThread& seen) {
  if (seen.role.kind != beam::ThreadKind::normal) return false;
  return seen.native.empty() ? seen.top.instruction.has_value()
                             : seen.native_end == elf::UnwindEnd::reached;
}

// ERTS_PSFLG_* (erts/emulator/beam/erl_process.h, OTP 25 and 27).
constexpr std::uint32_t exiting = 1u << 11, running = 1u << 15, running_sys = 1u << 21,
                        dirty_running_sys = 1u << 30;

ProcessMarks marks(const sampling::ObservedThread& seen) {
  if (!seen.process) return {};
  const std::uint32_t state = seen.process->state;
  return {.runs_code = (state & running) != 0,
          .serves_others = (state & running_sys) != 0,
          .in_dirty_loop = (state & dirty_running_sys) != 0,
          .has_dirty_task = seen.process->dirty_tasks != 0};
}

// Hand-written assembly, as libcrypto's, may break the unwinding; then only the scheduler tells.
bool in_library_of_nif(const sampling::ObservedThread& seen,
                       const std::vector<const NativeMeaning*>& chain) {
  return seen.scheduler && seen.scheduler->current_nif != 0 && !chain.empty() &&
         !chain.back()->in_executable;
}

// The whole stack is known and no function is on it: the process has not begun yet, or has returned
// from its first function. Where JIT code has no process, the one before has just ended.
std::optional<PseudoFunction> without_functions(const sampling::ObservedThread& seen,
                                                const ErlangFunctions& erlang) {
  if (erlang.unattributed != Unattributed::no_function || erlang.truncated) return std::nullopt;
  if (!seen.process)
    return seen.native.empty() ? std::optional(PseudoFunction::exit) : std::nullopt;
  return (seen.process->state & exiting) != 0 ? PseudoFunction::exit : PseudoFunction::scheduling;
}

}  // namespace

Attributor::Attributor(beam::VirtualMachine& vm, elf::LoadedObjects& objects)
    : vm_(&vm), native_(vm, objects), called_(vm, native_) {
  tells_aux_work_ = native_.tells("handle_aux_work");
}

NativeState Attributor::native_state(const sampling::ObservedThread& seen) {
  const bool by_jit = called_by_jit(seen);
  const std::size_t frames = seen.native.size() - (by_jit && !seen.native.empty() ? 1 : 0);
  chain_.clear();
  for (std::size_t k = 0; k < frames; ++k) chain_.push_back(&native_.at(seen.native[k], k == 0));
  NativeState state = state_of(chain_, {.kind = seen.role.kind,
                                        .called_by_jit = by_jit,
                                        .has_process = seen.has_process(),
                                        .scheduler = seen.scheduler,
                                        .ets = called_.ets(),
                                        .tells_aux_work = tells_aux_work_,
                                        .process = marks(seen),
                                        .hidden_in_collections = native_.hidden_in_collections()});
  if (!state.told && !by_jit && is_scheduler(seen.role.kind)) {
    if (in_library_of_nif(seen, chain_))
      state.assume_nif();
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
  out.truncated = erlang.truncated;
  if (native.for_process) out.pseudo = native.pseudo;
  if (!native.unknown && !out.pseudo) out.pseudo = without_functions(seen, erlang);

  CalledName called = called_.name(seen, native);
  out.bif = called.bif;
  out.nif = called.nif;
  out.nif_code = std::move(called.nif_code);
  if (called.state) out.state = *called.state;

  // A state of its own says enough: only Erlang code has to have a function.
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
