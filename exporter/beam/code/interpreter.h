#pragma once

#include <optional>
#include <span>

#include "beam/layout/forced_places.h"
#include "beam/layout/layout.h"
#include "os/memory/memory.h"
#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::beam {

// The interpreter of a VM without the JIT: the C function process_main (emu/beam_emu.c, OTP 24 and
// later; beam_emu.c in 23). A normal scheduler enters it once and never leaves it. While it runs,
// Process.stop and Process.i are stale: their values are in places of its own, also under the C
// functions that it calls.
struct Interpreter {
  using Place = InterpreterPlace;
  struct Places {
    Place instruction = os::UserRegisters::rbx;  // `I`
    Place stack = os::UserRegisters::r13;        // `E`
    // False: they are there between two instructions of the VM, but may be elsewhere in the middle
    // of one. Then each sample must prove the instruction too.
    bool always = true;
    bool in_frame() const { return instruction.in_frame || stack.in_frame; }
    friend bool operator==(const Places&, const Places&) = default;
  };
  os::AddressRange code;
  Places places = {};

  // Instructions begin with the address of the C code that executes them, a label of process_main,
  // in their lower half where all code lies there (BeamCodeAddr in emu/beam_emu.c, OTP 25 and 27).
  bool is_instruction(const os::Memory& memory, os::Address address) const;
  // The first register with the address of an instruction; under C code, of those that it
  // preserves.
  std::optional<os::Address> instruction_in(const os::Memory& memory,
                                            const os::UserRegisters& registers, bool on_top) const;
};

// Which registers the code of process_main keeps `I` and `E` in. gcc obeys the source, which names
// rbx and r13 (REG_I, REG_stop; OTP 23 to 29); other compilers need not. So the code must
// prove it: one register is loaded from and stored to Process.stop, and one is advanced by whole
// words, both much more often than any other. nullopt: it does not, or they are not preserved by C
// functions (System V ABI x86-64, figure 3.4).
std::optional<Interpreter::Places> interpreter_registers(const Layout& layout,
                                                         std::span<const std::byte> code);

// Precondition: `code` is where process_main is. What is forced counts more than what the code
// proves. Errors: unsupported (neither tells its places), unreadable.
os::Result<Interpreter> find_interpreter(const Layout& layout, const os::Memory& memory,
                                         os::AddressRange code, const ForcedPlaces& forced = {});

}  // namespace beam_exporter::beam
