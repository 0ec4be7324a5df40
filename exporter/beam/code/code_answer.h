#pragma once

#include "beam/terms/mfa.h"

namespace beam_exporter::beam {

// Why no function was found for an address.
enum class CodeMiss {
  none,
  not_code,   // in no module, but in the emulator, a shared fragment or data
  no_call,    // in a module, but not right after a call: not a return address
  changed,    // that code was loaded after `when`, or has been replaced since
  undecoded,  // in a module whose function table cannot be read
};

// The function at an address, or why there is none.
struct CodeAnswer {
  const Mfa* mfa = nullptr;  // valid until the next CodeIndex::refresh()
  CodeMiss miss = CodeMiss::not_code;
};

}  // namespace beam_exporter::beam
