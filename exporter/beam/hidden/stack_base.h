#pragma once

#include <optional>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// What stands at the bottom of every process's stack since the process was made
// (erts_create_process in erl_process.c, OTP 25 to 29).
struct StackBase {
  os::Address normal_exit = 0;  // the value of beam_normal_exit
  bool frame_pointers = false;  // ERTS_FRAME_LAYOUT_FP_RA: frames keep rbp chains
};

// Without the symbols beam_normal_exit and erts_frame_layout: from some processes of the table at
// `processes`. nullopt when they do not agree.
std::optional<StackBase> read_stack_base(const Layout& layout, const os::Memory& memory,
                                         os::Address processes);

}  // namespace beam_exporter::beam
