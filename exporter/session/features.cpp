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
  tell_figures({}, features);
  return features;
}

void tell_states(attribution::StateSet told, std::map<std::string, bool>& features) {
  for (const State state : named_states)
    features["state_" + std::string(attribution::name_of(state))] =
        told[static_cast<std::size_t>(state)];
}

void tell_figures(const totals::VmFigures& figures, std::map<std::string, bool>& features) {
  static const beam::Vitals none;
  const auto& vitals = figures.vitals ? *figures.vitals : none;
  features["io"] = vitals.io_in.has_value();
  features["reductions"] = vitals.reductions.has_value();
  features["collections"] = vitals.collections.has_value();
  features["ets_tables"] = vitals.ets_tables.has_value();
  features["allocators"] = figures.allocators.has_value();
  features["carriers"] = figures.fragmentation.has_value();
}

}  // namespace beam_exporter::session
