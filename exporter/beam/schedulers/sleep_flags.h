#pragma once

#include <cstdint>
#include <string>

namespace beam_exporter::beam {

// ERTS_SSI_FLG_*: bits of ErtsSchedulerSleepInfo.flags (erl_process.h, OTP 25 and 27).
namespace sleep_flags {
// Set while a scheduler is not online, or multi-scheduling is blocked (suspend_scheduler in
// erl_process.c).
inline constexpr std::uint32_t suspended = 1u << 4;
}  // namespace sleep_flags

// The names of the bits that are set, as ERTS has them without the prefix: "sleeping,
// poll_sleeping, waiting". "awake": none is set. A bit without a name is a number. Pure.
std::string sleep_flags_text(std::uint32_t flags);

}  // namespace beam_exporter::beam
