#pragma once

#include <optional>
#include <vector>

#include "beam/layout/static_data.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// One Erlang function that is written in C and linked into the VM.
struct Bif {
  Mfa mfa;
  os::Address function = 0;        // what the VM calls; it may only schedule the work
  os::Address implementation = 0;  // what does the work; often the same as `function`
  bool guard = false;  // allowed in guards: the msacc state stays `emulator` during the call
};

// Reads the bif_table (BifEntry[], erts/emulator/utils/make_tables, OTP 25, 27 and 29), in its
// order. Empty when its place is not known, or when it has another form.
std::vector<Bif> read_bif_table(const StaticData& data, const os::Memory& memory);

// The table of a VM that has no symbol for it: the only long run of such entries in its data.
// `code` holds the machine code of the executable.
std::optional<os::AddressRange> find_bif_table(const StaticData& data, os::AddressRange code);

}  // namespace beam_exporter::beam
