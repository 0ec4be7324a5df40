#pragma once

#include <optional>

#include "collectors/collector.h"
#include "collectors/resident_parts.h"

namespace beam_exporter::collectors {

struct CarrierLook {
  beam::CarrierWalk walk;
  std::optional<totals::ResidentParts> parts;  // nullopt: /proc/PID/smaps cannot be read
};

// Walks over every carrier of the VM, then finds the parts of its resident memory. When the walk is
// not whole the rest is left out. Called by the carrier collector and by look_at_memory. One
// thread.
CarrierLook look_at_carriers(const beam::VirtualMachine& vm, AllocatorAccess& allocators,
                             const PartOfCarrier& part_of_carrier = all_carriers);

}  // namespace beam_exporter::collectors
