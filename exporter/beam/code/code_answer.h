#pragma once

#include "beam/terms/mfa.h"

namespace beam_exporter::beam {

// Why an address led to no function.
enum class CodeMiss {
  none,
  not_code,   // in no module: emulator, shared fragment, data
  no_call,    // in a module, but not right behind a call: it is no return address
  changed,    // that code was loaded or purged around the moment asked for
  undecoded,  // in a module whose function table could not be read
};

// What an address led to.
struct CodeAnswer {
  const Mfa* mfa = nullptr;  // valid until the next CodeIndex::refresh()
  CodeMiss miss = CodeMiss::not_code;
};

}  // namespace beam_exporter::beam
