#pragma once

#include <cstdint>

namespace beam_exporter::beam {

// Bytes that a process holds. One thread makes it, anybody reads it.
struct Amount {
  std::uint64_t bytes = 0;
  bool whole = true;  // false: there is more, beyond the bounds of a look or not known in size
  bool torn = false;  // it changed while it was read: `bytes` means nothing
};

}  // namespace beam_exporter::beam
