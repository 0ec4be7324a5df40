#pragma once

#include "beam/virtual_machine.h"
#include "sampling/losses.h"

namespace beam_exporter::session {

// Logs one line if the places of the interpreter, as its code or a user tells them, are mostly
// wrong: then samples show a stack as it was stored last, or no function. Called every second until
// it returns true: there were enough samples to tell.
bool told_of_places(const beam::VirtualMachine& vm, sampling::InterpreterProofs proofs);

}  // namespace beam_exporter::session
