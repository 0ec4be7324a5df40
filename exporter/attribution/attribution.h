#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/pseudo_function.h"
#include "attribution/state.h"
#include "beam/code/stack.h"
#include "beam/terms/mfa.h"

// The meaning of a sample.
namespace beam_exporter::attribution {

// Why no function is named for a sample of a thread that executed a process. The names are values
// of a label.
enum class Unattributed {
  code_changed,
  no_function,
  process_unreadable,
  undecoded_module,
  unknown_native_code,  // C frames of a scheduler, none of which tells what it does
};
inline constexpr std::array<std::string_view, 5> unattributed_names = {
    "code_changed", "no_function", "process_unreadable", "undecoded_module", "unknown_native_code"};

struct Attribution {
  State state = State::other;
  State basic_state = State::other;  // the state in a VM without msacc's extended states
  std::optional<beam::Mfa> self = std::nullopt;         // the function on top of the Erlang stack
  std::vector<beam::Mfa> inclusive = {};                // the functions anywhere on it, each once
  beam::ErlangStack stack = {};                         // all its frames; empty without `self`
  std::optional<PseudoFunction> pseudo = std::nullopt;  // if set, `self` and `inclusive` are empty
  std::optional<Unattributed> unattributed = std::nullopt;
  bool truncated = false;                       // frames in the middle of a deep stack are missing
  bool for_process = false;                     // work for the process of the sample
  std::optional<beam::Mfa> bif = std::nullopt;  // the BIF whose C code is among the C frames
  bool in_nif = false;
  std::optional<beam::Mfa> nif = std::nullopt;
  std::string nif_code = {};   // of a NIF without a name: the place of its C function
  std::uint32_t families = 0;  // the blamed families that it belongs to, one bit each
};

}  // namespace beam_exporter::attribution
