#pragma once

#include <vector>

#include "beam/layout/static_data.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// One function of Erlang that is written in C and linked into the VM.
struct Bif {
  Mfa mfa;
  os::Address function = 0;        // what the VM calls: may only schedule the work elsewhere
  os::Address implementation = 0;  // what does the work; often the same
  bool guard = false;              // allowed in guards: called without leaving `emulator` (msacc)
};

// The exported bif_table (BifEntry[], erts/emulator/utils/make_tables, OTP 25 and 27), in its
// order. Empty when the VM does not export it or when it is not as we know it.
std::vector<Bif> read_bif_table(const elf::Image& image, const StaticData& data,
                                const os::Memory& memory);

}  // namespace beam_exporter::beam
