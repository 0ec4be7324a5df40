#pragma once

#include <optional>
#include <vector>

#include "attribution/attribution.h"
#include "beam/code/code_index.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// The functions on the Erlang stack of a sample.
struct ErlangFunctions {
  std::optional<beam::Mfa> self = std::nullopt;  // the function on top
  // Anywhere on the stack, each once, sorted; empty without `self`.
  std::vector<beam::Mfa> inclusive = {};
  beam::ErlangStack stack = {};                             // all its frames; empty without `self`
  std::optional<Unattributed> unattributed = std::nullopt;  // why there is no `self`
  bool truncated = false;  // frames in the middle of a deep stack are missing
};

// For a sample of work for a process, even if that process could not be read. `scheduled`:
// erts_schedule handles the process now, so that it will continue at Process.i. Changes nothing
// except `code`'s cache of call sites. Call it after a code.refresh() that came after the sample.
ErlangFunctions erlang_functions(const sampling::ObservedThread& seen, beam::CodeIndex& code,
                                 bool scheduled = false);

// The result when that refresh() has failed, so that no name can be trusted.
ErlangFunctions unknown_functions(const sampling::ObservedThread& seen);

}  // namespace beam_exporter::attribution
