#pragma once

#include "os/memory/memory_map.h"

namespace beam_exporter::beam {

// Machine code from a memfd or from anonymous memory, never from a file: so asmjit's JitAllocator
// gets it for the JIT. Libraries may have such code too.
inline bool may_be_jit_area(const os::Mapping& mapping) {
  return mapping.executable &&
         (mapping.inode == 0 ? mapping.path.empty() : mapping.path.starts_with("/memfd:"));
}

}  // namespace beam_exporter::beam
