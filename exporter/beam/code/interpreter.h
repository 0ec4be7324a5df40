#pragma once

#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"
#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::beam {

// The interpreter of a VM without the JIT: the C function process_main (emu/beam_emu.c, OTP 24 and
// later; beam_emu.c in 23). A normal scheduler enters it once and never leaves it. While it runs,
// Process.stop and Process.i are stale: their values are in registers, also under the C functions
// that it calls, which preserve them.
struct Interpreter {
  struct Registers {
    os::UserRegisters::Index instruction = os::UserRegisters::rbx;  // `I`
    os::UserRegisters::Index stack = os::UserRegisters::r13;        // `E`
    friend bool operator==(const Registers&, const Registers&) = default;
  };
  os::AddressRange code;
  Registers registers;
};

// Which registers the code of process_main keeps `I` and `E` in. gcc obeys the source, which names
// rbx and r13 (REG_I, REG_stop; OTP 23 to 29); other compilers need not. So the code must
// prove it: one register is loaded from and stored to Process.stop, and one is advanced by whole
// words, both much more often than any other. nullopt: it does not, or they are not preserved by C
// functions (System V ABI x86-64, figure 3.4).
std::optional<Interpreter::Registers> interpreter_registers(const Layout& layout,
                                                            std::span<const std::byte> code);

// Precondition: `code` is where process_main is. Errors: unsupported (the code does not prove its
// registers), unreadable.
os::Result<Interpreter> find_interpreter(const Layout& layout, const os::Memory& memory,
                                         os::AddressRange code);

}  // namespace beam_exporter::beam
