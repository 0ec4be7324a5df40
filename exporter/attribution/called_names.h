#pragma once

#include <optional>
#include <string>

#include "attribution/called_function.h"
#include "attribution/native_code.h"
#include "attribution/native_state.h"
#include "attribution/state.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// The BIF or NIF that a process has called.
struct CalledName {
  std::optional<beam::Mfa> bif = std::nullopt;
  std::optional<beam::Mfa> nif = std::nullopt;
  std::string nif_code = {};  // of a NIF without a name: the place of its C function
  // Set where the name tells the state, and the C frames do not.
  std::optional<State> state = std::nullopt;
};

// Finds the name of the BIF or NIF: from the C frames, else from the Erlang code that called it,
// else from Process.current. One thread.
class CalledNames {
 public:
  // `vm` and `native` must outlive this object.
  CalledNames(const beam::VirtualMachine& vm, const NativeCode& native);

  // `state` is the result of state_of() for `seen`.
  CalledName name(const sampling::ObservedThread& seen, const NativeState& state);

  // The atom `ets`; 0 when it is not known.
  beam::Eterm ets() const { return ets_; }

  // Call it when libraries may have been loaded or unloaded.
  void forget() { called_.forget(); }

 private:
  void name_nif(const sampling::ObservedThread& seen, const NativeState& state, CalledName& out);
  void name_bif(const sampling::ObservedThread& seen, const NativeState& state, CalledName& out);
  const beam::Bif* called_by_code(const sampling::ObservedThread& seen,
                                  const beam::Bif& like) const;
  const beam::Bif* called_by_instruction(const sampling::ObservedThread& seen,
                                         const beam::Bif& like) const;

  const beam::VirtualMachine* vm_;
  const NativeCode* native_;
  CalledFunction called_;
  beam::Eterm ets_ = 0;
};

}  // namespace beam_exporter::attribution
