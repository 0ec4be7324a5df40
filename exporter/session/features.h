#pragma once

#include <map>
#include <string>

#include "attribution/state.h"
#include "totals/vm_figures.h"

namespace beam_exporter::session {

// What beam_exporter_feature_enabled shows while no VM is watched: every feature, none enabled.
std::map<std::string, bool> no_features();

// "state_gc" and the others: whether each state that is told by names of the VM's own functions,
// which a build may hide, can be told.
void tell_states(attribution::StateSet told, std::map<std::string, bool>& features);

// "io", "allocators" and others: whether these figures of the VM are read. Each has a proof of its
// own, and some settings switch them off.
void tell_figures(const totals::VmFigures& figures, std::map<std::string, bool>& features);

}  // namespace beam_exporter::session
