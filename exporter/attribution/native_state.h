#pragma once

#include <optional>
#include <span>

#include "attribution/native_code.h"
#include "attribution/pseudo_function.h"
#include "attribution/state.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// What a thread did, as its C frames and its scheduler's own fields tell.
struct NativeState {
  State state = State::other;
  State basic_state = State::other;  // the state in a VM without extended states
  bool for_process = false;          // work for the scheduler's current process
  bool scheduling = false;           // erts_schedule runs, before or after the process's own code
  bool told = false;  // a frame tells the state; else it is the default for this kind of thread
  const beam::Bif* bif = nullptr;  // the BIF whose C code runs, or that called the code that runs
  bool in_nif = false;
  const NativeMeaning* nif = nullptr;  // the C function of the NIF, when it has a frame
  // The function that JIT code called, directly or through a helper.
  const NativeMeaning* outermost = nullptr;
  std::uint32_t families = 0;            // the blamed families anywhere in the chain
  std::optional<PseudoFunction> pseudo;  // for work that no function of the process asked for
  bool unknown = false;  // C frames of a scheduler, none of which tells what it does

  // For a NIF whose C frames could not be unwound to its call: only the scheduler tells.
  void assume_nif();
  // For a dirty scheduler that has a process, when no frame tells what it does.
  void assume_process();
  // For frames that tell nothing: assumes what a scheduler most likely does, with or without a
  // process.
  void assume_nothing(bool has_process);
};

struct ChainContext {
  beam::ThreadKind kind = beam::ThreadKind::normal;
  bool called_by_jit = false;  // JIT code, which is not part of the chain, called it
  // The Erlang code has called the outermost function as a NIF: no function of the VM is between.
  bool calls_nif = false;
  bool has_process = false;  // the scheduler has a current process
  std::optional<sampling::SchedulerFields> scheduler;
  beam::Eterm ets = 0;                      // the atom `ets`
  bool knows_aux_work = false;              // handle_aux_work is among the functions we know
  ProcessMarks process = {};                // of its current process
  std::uint32_t hidden_in_collections = 0;  // see NativeCode::hidden_in_collections()
};

// `chain`: the functions of the C frames, innermost first; empty in JIT code. States nest as in
// msacc: a function that sets a state hides the caller's state until it returns
// (ERTS_MSACC_PUSH_STATE, erts/emulator/beam/erl_msacc.h, OTP 25 and 27). Pure.
NativeState state_of(std::span<const NativeMeaning* const> chain, const ChainContext& context);

}  // namespace beam_exporter::attribution
