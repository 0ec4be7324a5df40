#pragma once

#include "os/address.h"
#include "os/memory/memory.h"

namespace beam_exporter::elf {

// Which function the code before a return address calls (x86-64).
struct CallBefore {
  enum class Kind {
    none,     // there is no call
    to,       // `call rel32`, perhaps to an entry of a PLT; `function` is known
    by_slot,  // `call *slot(%rip)`, which is how code without a PLT calls other files: `function`
              // is what the slot holds, now
    by_pointer,  // `call r/m64`
  };
  Kind kind = Kind::none;
  os::Address function = 0;
};

// Reads the code of the target, and the slot of a call to another file. Any thread.
CallBefore call_before(const os::Memory& memory, os::Address return_address);

// An entry of a PLT jumps to a function, by a slot of the GOT, [endbr64] [bnd] jmp *slot(%rip):
// that function. `target` itself where no such entry is. Any thread.
os::Address behind_plt(const os::Memory& memory, os::Address target);

}  // namespace beam_exporter::elf
