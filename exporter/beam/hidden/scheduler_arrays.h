#pragma once

#include <optional>

#include "beam/hidden/hidden_vm.h"
#include "beam/schedulers/thread_kind.h"

namespace beam_exporter::beam {

// Where a pointer to the schedulers' data of this kind is kept: erts_aligned_scheduler_data,
// erts_aligned_dirty_cpu_scheduler_data, erts_aligned_dirty_io_scheduler_data. nullopt when there
// is none, or pointers to more than one such array.
std::optional<os::Address> find_scheduler_array(const HiddenVm& vm, ThreadKind kind);

}  // namespace beam_exporter::beam
