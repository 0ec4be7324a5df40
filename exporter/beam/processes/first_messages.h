#pragma once

#include <cstdint>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

struct FirstMessages {
  // The oldest first. A message from another node that the VM has not decoded yet is 0.
  std::vector<Eterm> terms;
  std::uint64_t signals = 0;  // that stand between them; they are no messages
  // A part could not be followed, because it changed meanwhile, or because there are too many
  // signals. The terms up to there are right.
  bool torn = false;
};

// The terms of at most `most` messages that wait for the process whose struct is at `process`: the
// inner queue, then the middle one, then those that the process has not fetched (sig_qs.first,
// sig_qs.cont, sig_inq.first in erl_process.h and erl_message.h, OTP 25 and 27). The parallel
// signal buffers of OTP 25+ are left out. `id` is the process that must be there, before and after;
// else nothing is told. Reads one message at a time. One thread.
FirstMessages first_messages(const Layout& layout, const os::Memory& memory, os::Address process,
                             Eterm id, std::size_t most);

}  // namespace beam_exporter::beam
