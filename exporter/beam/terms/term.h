#pragma once

#include <cstdint>
#include <optional>

#include "beam/layout/layout.h"

// Eterm tags of 64-bit ERTS (erts/emulator/beam/erl_term.h, unchanged OTP 23 to 29).
namespace beam_exporter::beam {

inline std::optional<std::uint32_t> atom_index(Eterm term) {
  constexpr Eterm immed2_mask = 0x3f, immed2_atom = 0x0b;
  if ((term & immed2_mask) != immed2_atom || (term >> 6) > 0xffffffffu) return std::nullopt;
  return static_cast<std::uint32_t>(term >> 6);
}

inline bool is_internal_pid(Eterm term) { return (term & 0xf) == 0x3; }

// Strings are lists of small integers. Pointers may carry a third tag bit that marks literals.
inline bool is_list(Eterm term) { return (term & 0x3) == 0x1; }
inline os::Address pointer(Eterm term) { return term & ~Eterm{0x7}; }
inline std::optional<std::int64_t> small_integer(Eterm term) {
  if ((term & 0xf) != 0xf) return std::nullopt;
  return static_cast<std::int64_t>(term) >> 4;
}

// On an Erlang stack a word whose low two bits are 00 is a return address; every term has others.
inline bool is_continuation_pointer(Eterm word) { return word != 0 && (word & 0x3) == 0; }

}  // namespace beam_exporter::beam
