#pragma once

#include <cstdint>

#include "os/result.h"
#include "os/unique_fd.h"

// The limit of open files of the exporter itself. Any thread.
namespace beam_exporter::os {

// A source that opens descriptors for each thread of a VM leaves this many free: for the
// connections of scrapers (56 at most by default), for /proc and for the files of the VM. Where the
// limit is less than twice this number, half of the limit stays free.
inline constexpr std::uint64_t reserved_descriptors = 128;

// Raises our soft limit to the hard one, once, at the start. Many systems begin with 1,024, and
// sampling takes up to three for each thread. Does nothing where the kernel refuses.
void raise_descriptor_limit();

// The soft limit now.
std::uint64_t descriptor_limit();

// How many more files may be opened for threads: the limit, less the reserve, less those that are
// open now.
std::uint64_t descriptors_left();

// Error (system): `fd` takes a place of the reserve; the caller should close it again. The kernel
// gives the lowest free number, so that all numbers below `fd` are in use.
Status leaves_reserve(const UniqueFd& fd);

}  // namespace beam_exporter::os
