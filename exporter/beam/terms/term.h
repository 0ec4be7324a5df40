#pragma once

#include <cstdint>
#include <optional>

#include "beam/layout/layout.h"

// Eterm tags of 64-bit ERTS (erts/emulator/beam/erl_term.h, the same in OTP 23, 25, 26, 27 and 29,
// except the empty list).
namespace beam_exporter::beam {

inline std::optional<std::uint32_t> atom_index(Eterm term) {
  constexpr Eterm immed2_mask = 0x3f, immed2_atom = 0x0b;
  if ((term & immed2_mask) != immed2_atom || (term >> 6) > 0xffffffffu) return std::nullopt;
  return static_cast<std::uint32_t>(term >> 6);
}

// Up to OTP 23 the bits above the tag are set, later they are 0 (NIL in erl_term.h).
inline bool is_nil(Eterm term) { return (term & 0x3f) == 0x3b; }
inline bool is_internal_pid(Eterm term) { return (term & 0xf) == 0x3; }

// A string is a list of small integers. A pointer may have a third tag bit, which marks literals.
inline bool is_list(Eterm term) { return (term & 0x3) == 0x1; }
inline bool is_boxed(Eterm term) { return (term & 0x3) == 0x2; }
// The kind of what a boxed term points to: of its first word, whose lowest two bits are 00, the
// subtag in bits 2..5. The arity is above.
inline constexpr Eterm header_kind = 0x3f;
inline os::Address pointer(Eterm term) { return term & ~Eterm{0x7}; }
inline std::optional<std::int64_t> small_integer(Eterm term) {
  if ((term & 0xf) != 0xf) return std::nullopt;
  return static_cast<std::int64_t>(term) >> 4;
}

// On an Erlang stack, a word whose low two bits are 00 is a return address; no term has these bits.
inline bool is_continuation_pointer(Eterm word) { return word != 0 && (word & 0x3) == 0; }

}  // namespace beam_exporter::beam
