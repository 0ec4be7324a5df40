#pragma once

#include <string>
#include <string_view>

#include "elf/image.h"
#include "os/result.h"

namespace beam_exporter::beam {

// What an executable says of itself: the key to its layout.
struct Release {
  std::string otp_release;   // "25"
  std::string erts_version;  // "13.1.5"
  std::string flavor;        // "jit" or "emu"
  std::string arch;          // "x86_64"
  // "opt", "lcnt" (counts locks: erl -emu_type lcnt), "debug", "hipe" (23 and earlier could
  // compile to native code), or "disable-jit" (an interpreter of 25 or later that was not built
  // beside the JIT): each has structs of its own.
  std::string build = "opt";
  friend bool operator==(const Release&, const Release&) = default;
};

// How people name a VM's build: "OTP 25 (erts 13.1.5, jit)".
std::string build_text(std::string_view otp_release, std::string_view erts_version,
                       std::string_view flavor);

// From the etp_* constants that ERTS keeps for debuggers (erts/emulator/beam: erl_init.c in OTP 25,
// erl_etp.c in OTP 27); where the file has no such symbols (OTP 29, stripped), from the text of
// erts_system_version. not_found when the file is no BEAM, unsupported for a BEAM that has neither
// or is not 64-bit.
os::Result<Release> read_release(const elf::Image& image);

}  // namespace beam_exporter::beam
