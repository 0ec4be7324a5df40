#pragma once

#include "elf/frame_rules.h"
#include "elf/stack_bytes.h"
#include "os/perf/user_registers.h"

namespace beam_exporter::elf {

// Makes `registers` those of the caller. False, and no change: a saved value lies outside of the
// captured bytes, or the caller's frame is not above this one.
bool leave_frame(const FrameRule& rule, const StackBytes& stack, os::UserRegisters& registers);

}  // namespace beam_exporter::elf
