#pragma once

#include <string>
#include <string_view>

#include "os/result.h"
#include "profile/process_profile.h"
#include "profile/profile.h"

// The format of github.com/google/pprof (proto/profile.proto), uncompressed. Each frame is a
// location.
namespace beam_exporter::profile {

// Sample types samples/count and cpu/nanoseconds, period type cpu/nanoseconds, so that Pyroscope
// and Alloy take it as process_cpu. Labels are `thread`, `scheduler`, `state`, `process`, and
// `native` for each blamed native function.
std::string pprof(const Profile& profile);

// Sample type processes/count, and heap/bytes when the heap is asked for. Labels are `status`, and
// `process` for registered ones.
std::string pprof(const ProcessProfile& profile, ProcessOrder order);

// Reads what pprof() or another program has written, as far as a Profile can hold it: Erlang
// functions, BIFs and NIFs are all `erlang`. Stacks that do not fit into a StackTable count as
// lost. Error: malformed.
os::Result<Profile> read_pprof(std::string_view bytes);

}  // namespace beam_exporter::profile
