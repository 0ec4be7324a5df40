#pragma once

#include <optional>
#include <span>

#include "attribution/native_code.h"
#include "attribution/pseudo_function.h"
#include "attribution/state.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// What a thread was doing. Its C frames tell that, and what its scheduler said of itself.
struct NativeState {
  State state = State::other;
  State basic_state = State::other;  // what a VM without extended states counts it as
  bool for_process = false;          // work of the scheduler's current process
  bool scheduling = false;           // by the scheduler, around the process's own code
  bool told = false;               // a frame said so; else it is what such a thread does by default
  const beam::Bif* bif = nullptr;  // the BIF whose C code runs, or that called what runs
  bool in_nif = false;
  const NativeMeaning* nif = nullptr;        // the C function of the NIF, when it has a frame
  const NativeMeaning* outermost = nullptr;  // what JIT code called, itself or by way of its helper
  std::uint32_t families = 0;                // blamed families anywhere in the chain
  std::optional<PseudoFunction> pseudo;      // of work that no function of the process asked for
  bool unknown = false;  // C frames of a scheduler, none of which says what it does

  // A NIF whose frames do not lead back to the call: only the scheduler told.
  void assume_nif();
  // No frame told: what a scheduler then most likely does, if it has a process or not.
  void assume_nothing(bool has_process);
};

struct ChainContext {
  beam::ThreadKind kind = beam::ThreadKind::normal;
  bool called_by_jit = false;  // the chain ends in JIT code (which is not part of it)
  bool has_process = false;    // the scheduler has a current process
  std::optional<sampling::SchedulerFields> scheduler;
  beam::Eterm ets = 0;          // the atom
  bool tells_aux_work = false;  // handle_aux_work is among the functions we know
  ProcessMarks process = {};    // of its current process
  std::uint32_t hidden_in_collections =
      0;  // families whose members only move what is collected there
};

// `chain`: the functions of the C frames, innermost first; empty in JIT code. The nesting rule is
// msacc's own: each function that sets a state hides the one that it was entered in, until it
// returns (ERTS_MSACC_PUSH_STATE, erts/emulator/beam/erl_msacc.h). Pure.
NativeState state_of(std::span<const NativeMeaning* const> chain, const ChainContext& context);

}  // namespace beam_exporter::attribution
