#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attribution/pseudo_function.h"
#include "attribution/state.h"
#include "beam/terms/mfa.h"

// What a sample means.
namespace beam_exporter::attribution {

// Why a sample of a thread that was executing a process names no function; label values.
enum class Unattributed {
  code_changed,
  no_function,
  process_unreadable,
  undecoded_module,
  unknown_native_code,  // C frames of a scheduler, none of them one that says what it does
};
inline constexpr std::array<std::string_view, 5> unattributed_names = {
    "code_changed", "no_function", "process_unreadable", "undecoded_module", "unknown_native_code"};

struct Attribution {
  State state = State::other;
  State basic_state = State::other;  // what a VM without msacc's extended states counts it as
  std::optional<beam::Mfa> self = std::nullopt;         // on top of the Erlang stack
  std::vector<beam::Mfa> inclusive = {};                // anywhere on it, each once
  std::optional<PseudoFunction> pseudo = std::nullopt;  // then there is neither of these
  std::optional<Unattributed> unattributed = std::nullopt;
  bool truncated = false;    // frames in the middle of a deep stack were not looked at
  bool for_process = false;  // work of sample.process
  std::optional<beam::Mfa> bif = std::nullopt;  // the BIF whose C code is in the chain
  bool in_nif = false;
  std::optional<beam::Mfa> nif = std::nullopt;
  std::string nif_code = {};   // of a NIF without a name: where its C function is
  std::uint32_t families = 0;  // blamed families that it belongs to, one bit each
};

}  // namespace beam_exporter::attribution
