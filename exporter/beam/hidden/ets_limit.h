#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "os/address.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// user_requested_db_max_tabs, the limit of ETS tables that was asked for. init_db (erl_db.c, OTP 23
// to 29) makes the true limit of it: it reads it, takes at least 8192, and stores db_max_tabs. The
// two variables must hold what that code makes. `code` is the executable's, which stands at `begin`
// in the VM. nullopt where no code does that, or code with more than one such variable.
std::optional<os::Address> find_requested_ets_limit(std::span<const std::byte> code,
                                                    os::Address begin, const os::Memory& memory);

}  // namespace beam_exporter::beam
