#pragma once

#include <optional>
#include <string>

#include "attribution/called_function.h"
#include "attribution/native_code.h"
#include "attribution/native_state.h"
#include "attribution/state.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// The BIF or NIF that a process is in.
struct CalledName {
  std::optional<beam::Mfa> bif = std::nullopt;
  std::optional<beam::Mfa> nif = std::nullopt;
  std::string nif_code = {};                  // of a NIF without a name: where its C function is
  std::optional<State> state = std::nullopt;  // where the name tells it, and not the C frames
};

// Names that BIF or NIF: by the C frames, else by the Erlang code that called, else by
// Process.current. One thread.
class CalledNames {
 public:
  // Both outlive it.
  CalledNames(const beam::VirtualMachine& vm, const NativeCode& native);

  // `state` is what the C frames of `seen` told.
  CalledName name(const sampling::ObservedThread& seen, const NativeState& state);

  // The atom `ets`; 0 when it is not known.
  beam::Eterm ets() const { return ets_; }

  // Libraries may have come or gone.
  void forget() { called_.forget(); }

 private:
  void name_nif(const sampling::ObservedThread& seen, const NativeState& state, CalledName& out);
  void name_bif(const sampling::ObservedThread& seen, const NativeState& state, CalledName& out);
  const beam::Bif* called_by_code(const sampling::ObservedThread& seen,
                                  const beam::Bif& like) const;

  const beam::VirtualMachine* vm_;
  const NativeCode* native_;
  CalledFunction called_;
  beam::Eterm ets_ = 0;
};

}  // namespace beam_exporter::attribution
