#pragma once

#include <span>

#include "beam/layout/layout.h"
#include "beam/processes/process_batch.h"
#include "beam/schedulers/counter_proofs.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// What processes hold is in trees, rings and lists of many structs, which no other proof reads.
// Where a member is not where the layout says, these contradict themselves: kinds of links that do
// not exist, counts of references, binaries of impossible size. One that moved to where there is
// always 0 is not noticed: what is behind it is missing then.
struct HeldProofs {
  PartProof memory, binaries;
};

// Measures some of these processes. `memory` holds if some of them have links and monitors, as in
// every VM, and most of those that do not change have them whole; `binaries` if most have whole
// lists, perhaps empty ones. False too where the layout does not tell (can_measure()). Any thread.
HeldProofs prove_held(const Layout& layout, const os::Memory& memory,
                      std::span<const ScannedProcess> processes);

}  // namespace beam_exporter::beam
