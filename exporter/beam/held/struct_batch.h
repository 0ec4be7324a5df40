#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "beam/layout/field.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Reads the first `size` bytes of the structs at these places, many in one system call, and calls
// take(index, bytes) for each in order; `bytes` is empty where they cannot be read. Any thread.
template <class Take>
void read_structs(const os::Memory& memory, std::span<const os::Address> places, std::uint32_t size,
                  Take take) {
  constexpr std::size_t most_at_once = 4096;
  std::vector<std::byte> bytes;
  std::vector<os::ReadRequest> requests;
  for (std::size_t first = 0; first < places.size(); first += most_at_once) {
    const auto some = places.subspan(first, std::min(places.size() - first, most_at_once));
    bytes.resize(some.size() * size);
    requests.clear();
    for (std::size_t k = 0; k < some.size(); ++k)
      requests.push_back({some[k], std::span(bytes).subspan(k * size, size)});
    memory.read_batch(requests);
    for (std::size_t k = 0; k < some.size(); ++k)
      take(first + k, requests[k].ok ? std::span<const std::byte>(requests[k].into)
                                     : std::span<const std::byte>());
  }
}

}  // namespace beam_exporter::beam
