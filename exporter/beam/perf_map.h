#pragma once

#include <string>

#include "beam/virtual_machine.h"

namespace beam_exporter::beam {

struct PerfMap {
  std::string text;
  std::size_t functions = 0;
  std::size_t undecoded = 0;  // modules whose functions could not be read: they are missing
};

// The code that the VM has loaded, in the format that `perf report` reads from /tmp/perf-PID.map
// (tools/perf/Documentation/jit-interface.txt, Linux 6.1): "<begin> <size> <name>", numbers in hex.
// A name is what `erl +JPperf true` writes: "$lists:sort/1" (JitPerfMap in
// jit/beam_jit_metadata.cpp, OTP 25 and 27). Code that the JIT's modules share has no name here.
// Call it after a code().refresh().
PerfMap perf_map(VirtualMachine& vm);

}  // namespace beam_exporter::beam
