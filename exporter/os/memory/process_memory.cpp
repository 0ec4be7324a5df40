#include "os/memory/process_memory.h"

#include <limits.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>

namespace beam_exporter::os {

namespace {

// The kernel takes no more pieces in one call (process_vm_readv(2)).
constexpr std::size_t pieces_per_call = IOV_MAX;

struct Pieces {
  std::array<iovec, pieces_per_call> local;
  std::array<iovec, pieces_per_call> remote;
};

}  // namespace

bool ProcessMemory::read(Address from, std::span<std::byte> into) const {
  if (!checked_add(from, into.size())) return false;
  const iovec local{into.data(), into.size()};
  const iovec remote{reinterpret_cast<void*>(from), into.size()};
  return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(into.size());
}

void ProcessMemory::read_batch(std::span<ReadRequest> requests) const {
  thread_local Pieces pieces;
  std::size_t next = 0;
  while (next < requests.size()) {
    const std::size_t count = std::min(pieces_per_call, requests.size() - next);
    for (std::size_t k = 0; k < count; ++k) {
      const auto& request = requests[next + k];
      pieces.local[k] = {request.into.data(), request.into.size()};
      pieces.remote[k] = {reinterpret_cast<void*>(request.from), request.into.size()};
    }
    const ssize_t got =
        process_vm_readv(pid_, pieces.local.data(), count, pieces.remote.data(), count, 0);
    std::size_t left = got > 0 ? static_cast<std::size_t>(got) : 0;
    std::size_t whole = 0;
    while (whole < count && requests[next + whole].into.size() <= left) {
      left -= requests[next + whole].into.size();
      requests[next + whole].ok = true;
      ++whole;
    }
    next += whole;
    // The call stops at the first piece that it cannot read. Go on with the piece after that one.
    if (whole < count) requests[next++].ok = false;
  }
}

}  // namespace beam_exporter::os
