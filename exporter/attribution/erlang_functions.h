#pragma once

#include <optional>
#include <vector>

#include "attribution/attribution.h"
#include "beam/code/code_index.h"
#include "sampling/observed_thread.h"

namespace beam_exporter::attribution {

// The functions on the Erlang stack of a sample.
struct ErlangFunctions {
  std::optional<beam::Mfa> self = std::nullopt;  // on top
  std::vector<beam::Mfa> inclusive = {};  // anywhere, each once, sorted; empty without `self`
  std::optional<Unattributed> unattributed = std::nullopt;  // why there is no `self`
  bool truncated = false;  // frames in the middle of a deep stack were not looked at
};

// For a sample that is work for a process, even if who it was could not be read. `scheduled`: the
// scheduler works on that process, so that its own code stands where it goes on (Process.i). Pure
// but for what `code` learns of call sites. Call after a code.refresh() that followed the sample.
ErlangFunctions erlang_functions(const sampling::ObservedThread& seen, beam::CodeIndex& code,
                                 bool scheduled = false);

// For when that refresh() failed, so that no name can be trusted.
ErlangFunctions unknown_functions(const sampling::ObservedThread& seen);

}  // namespace beam_exporter::attribution
