#pragma once

#include <cstdint>

#include "os/result.h"
#include "os/unique_fd.h"

// How many files we may have open ourselves. Any thread.
namespace beam_exporter::os {

// So many descriptors stay free when a source opens one for each thread of a VM: the connections of
// scrapers (56 at most by default), /proc and the files of the VM need them. Half of the limit
// where the limit is less than twice as large.
inline constexpr std::uint64_t reserved_descriptors = 128;

// Raises our soft limit to the hard one, once, at the start. Many systems begin with 1,024, and
// sampling takes up to three for each thread. Without an effect where the kernel refuses.
void raise_descriptor_limit();

// The soft limit now.
std::uint64_t descriptor_limit();

// How many more files may be opened for threads: those below the reserve that are not open now.
std::uint64_t descriptors_left();

// Error (system): `fd` is one of the reserve, so that it should be closed again. The kernel gives
// the lowest free number: all below this one are in use.
Status leaves_reserve(const UniqueFd& fd);

}  // namespace beam_exporter::os
