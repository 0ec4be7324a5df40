#include "session/features.h"

#include <array>

namespace beam_exporter::session {

namespace {

using attribution::State;

constexpr std::array named_states = {State::alloc,    State::aux,  State::bif,
                                     State::check_io, State::gc,   State::gc_full,
                                     State::port,     State::send, State::timers};

}  // namespace

std::map<std::string, bool> no_features() {
  std::map<std::string, bool> features = {{"ebpf", false},
                                          {"tick", false},
                                          {"perf", false},
                                          {"kernel_samples", false},
                                          {"growth", false}};
  tell_states({}, features);
  return features;
}

void tell_states(attribution::StateSet told, std::map<std::string, bool>& features) {
  for (const State state : named_states)
    features["state_" + std::string(attribution::name_of(state))] =
        told[static_cast<std::size_t>(state)];
}

}  // namespace beam_exporter::session
