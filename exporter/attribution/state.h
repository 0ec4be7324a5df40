#pragma once

#include <array>
#include <bitset>
#include <string_view>

#include "beam/schedulers/thread_kind.h"

namespace beam_exporter::attribution {

// OTP's extended microstate accounting states (erts/emulator/beam/erl_msacc.h, OTP 25 and 27); the
// names are label values and never change.
enum class State {
  alloc,
  aux,
  bif,
  busy_wait,
  check_io,
  emulator,
  ets,
  gc,
  gc_full,
  nif,
  other,
  port,
  send,
  sleep,
  timers,
};

inline constexpr std::array<std::string_view, 15> state_names = {
    "alloc",   "aux", "bif",   "busy_wait", "check_io", "emulator", "ets",   "gc",
    "gc_full", "nif", "other", "port",      "send",     "sleep",    "timers"};

inline constexpr std::string_view name_of(State state) {
  return state_names[static_cast<std::size_t>(state)];
}

using StateSet = std::bitset<state_names.size()>;
inline constexpr StateSet all_states{(1ULL << state_names.size()) - 1};

using beam::name_of;
using beam::thread_kind_names;
using beam::ThreadKind;

}  // namespace beam_exporter::attribution
