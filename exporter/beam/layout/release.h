#pragma once

#include <string>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::beam {

// What an executable says of itself: the key to its layout.
struct Release {
  std::string otp_release;   // "25"
  std::string erts_version;  // "13.1.5"
  std::string flavor;        // "jit" or "emu"
  std::string arch;          // "x86_64"
  friend bool operator==(const Release&, const Release&) = default;
};

// From the etp_* constants that ERTS keeps for debuggers (erts/emulator/beam/erl_init.c in OTP 25
// and 27). not_found when the file is no BEAM, unsupported for a BEAM that hides or lacks them or
// is not 64-bit.
os::Result<Release> read_release(const elf::Image& image);

}  // namespace beam_exporter::beam
