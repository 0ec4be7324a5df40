#include "attribution/native_state.h"

#include <utility>

namespace beam_exporter::attribution {

namespace {

using beam::ThreadKind;

// ERTS_SSI_FLG_* (erts/emulator/beam/erl_process.h, OTP 25 and 27).
constexpr std::uint32_t poll_sleeping = 1 << 1, tse_sleeping = 1 << 2, flag_waiting = 1 << 3;

class Nesting {
 public:
  explicit Nesting(const ChainContext& context)
      : context_(context), work_(context.has_process, context.process) {
    const bool scheduler = context.kind == ThreadKind::normal ||
                           context.kind == ThreadKind::dirty_cpu ||
                           context.kind == ThreadKind::dirty_io;
    if (scheduler && context.called_by_jit) process_work();
    if (context.calls_nif) {
      out.in_nif = out.told = true;
      extended(State::nif);
    }
    // The loop of the aux thread does nothing else (aux_thread in erl_process.c, OTP 25 and 27).
    if (context.kind == ThreadKind::aux && !context.knows_aux_work) both(State::aux);
  }

  void enter(const NativeMeaning& function) {
    if (out.in_nif && out.nif == nullptr) out.nif = &function;
    out.families |= function.families;
    work_.enter(function.work);
    if (function.bif != nullptr && out.bif == nullptr && !out.in_nif) enter_bif(*function.bif);
    // If JIT code seems to have called this part, the BIF has jumped to it.
    if (std::exchange(outermost_, false) && context_.called_by_jit && function.part_of != nullptr)
      enter_part(function);
    if (function.effect != Effect::none) {
      out.told = true;
      apply(function.effect);
    }
  }

  NativeState done() {
    out.pseudo = work_.function();
    if (work_.collects()) out.families &= ~context_.hidden_in_collections;
    return out;
  }

  NativeState out;

 private:
  void both(State state) { out.state = out.basic_state = state; }
  void extended(State state) { out.state = state; }
  void process_work() {
    both(State::emulator);
    out.for_process = true;
  }
  void not_for_process(State state) {
    both(state);
    out.for_process = false;
  }

  void enter_bif(const beam::Bif& bif) {
    out.bif = &bif;
    out.told = true;
    if (!bif.guard) extended(state_of(bif));
  }
  void enter_part(const NativeMeaning& function) {
    if (function.shared)
      extended(state_of(*function.part_of));
    else
      enter_bif(*function.part_of);
  }
  State state_of(const beam::Bif& bif) const {
    return bif.mfa.module == context_.ets ? State::ets : State::bif;
  }

  void scheduling() {
    out.scheduling = true;
    if (context_.has_process) return process_work();
    not_for_process(State::other);
    // This works also when scheduler_wait was not found: the scheduler spins while it waits and has
    // set no kind of sleep.
    const auto flags = context_.scheduler ? context_.scheduler->sleep_flags : 0;
    if ((flags & flag_waiting) != 0 && (flags & (poll_sleeping | tse_sleeping)) == 0)
      extended(State::busy_wait);
  }

  bool may_block_in_poll() const {
    if (context_.kind == ThreadKind::poll || context_.kind == ThreadKind::aux) return true;
    // scheduler_wait polls only to sleep, also when the flag is clear: a thread that wakes the
    // scheduler clears it first. Where scheduler_wait was not found, the flag tells.
    if (waits_) return true;
    return context_.scheduler && (context_.scheduler->sleep_flags & poll_sleeping) != 0;
  }

  void apply(Effect effect) {
    switch (effect) {
      case Effect::none:
        break;
      case Effect::scheduling:
        return scheduling();
      case Effect::process_work:
        // This function sets no state: in a BIF, the state of the BIF stays.
        if (!out.for_process) process_work();
        return;
      case Effect::dirty_process:
        return process_work();
      case Effect::waiting:
        waits_ = true;
        not_for_process(State::other);
        return extended(State::busy_wait);
      case Effect::event_wait:
        if (context_.kind == ThreadKind::aux || (out.scheduling && !out.for_process))
          both(State::sleep);
        return;
      case Effect::condition_wait:
        return both(State::sleep);
      case Effect::yields:
        // A thread that has work for the scheduler clears its flags while it is off its CPU.
        if (out.scheduling && !out.for_process && out.state == State::other)
          extended(State::busy_wait);
        return;
      case Effect::poll_wait:
        if (out.basic_state == State::check_io && may_block_in_poll()) both(State::sleep);
        return;
      case Effect::aux:
        return not_for_process(State::aux);
      case Effect::timers:
        return extended(State::timers);
      case Effect::check_io:
        if (out.scheduling) out.for_process = false;
        return both(State::check_io);
      case Effect::check_io_extended:
        return extended(State::check_io);
      case Effect::gc:
        return both(State::gc);
      case Effect::gc_uncounted:
        return extended(State::gc);
      case Effect::gc_full:
        return extended(State::gc_full);
      case Effect::port:
        if (out.scheduling) out.for_process = false;
        return both(State::port);
      case Effect::send:
        return extended(State::send);
      case Effect::alloc:
        return extended(State::alloc);
      case Effect::bif:
        return extended(State::bif);
      case Effect::nif:
        out.in_nif = true;
        return extended(State::nif);
    }
  }

  const ChainContext& context_;
  ProcessWorkNesting work_;
  bool outermost_ = true;
  bool waits_ = false;  // inside scheduler_wait
};

}  // namespace

void NativeState::assume_nif() {
  told = in_nif = for_process = true;
  state = State::nif;
  basic_state = State::emulator;
}

void NativeState::assume_process() {
  told = for_process = true;
  if (!pseudo) state = basic_state = State::emulator;
}

void NativeState::assume_nothing(bool has_process) {
  unknown = true;
  families = 0;
  for_process = has_process;
  if (for_process && !pseudo) state = basic_state = State::emulator;
}

NativeState state_of(std::span<const NativeMeaning* const> chain, const ChainContext& context) {
  Nesting nesting(context);
  for (auto outwards = chain.rbegin(); outwards != chain.rend(); ++outwards)
    nesting.enter(**outwards);
  if (!chain.empty() && context.called_by_jit) {
    const bool by_way = chain.back()->effect == Effect::bif && chain.size() > 1;
    nesting.out.outermost = chain[chain.size() - (by_way ? 2 : 1)];
  }
  return nesting.done();
}

}  // namespace beam_exporter::attribution
