#pragma once

#include <string>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// How one VM makes the ids of its processes. ProcessTable knows it.
struct ProcessIdForm {
  bool slot_in_upper_half =
      false;                    // up to OTP 25; the lower half then is the number and the serial
  std::uint64_t slot_mask = 0;  // ErtsPTab.r.o.pix_mask
};

// An id as Erlang prints it, "<0.123.0>": the number has 15 bits up to OTP 25, then 28, and the
// serial is above (_PID_NUM_SIZE, erl_term.h). From OTP 26 on the low bits of an id are the slot;
// neighbours among numbers are in different cache lines of the table (erts_ptab_pixdata2data,
// erl_ptab.h OTP 27). Precondition: is_internal_pid(id).
std::string process_id_text(const ProcessIdForm& form, Eterm id);

}  // namespace beam_exporter::beam
