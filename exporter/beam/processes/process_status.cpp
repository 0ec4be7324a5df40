#include "beam/processes/process_status.h"

#include <array>

#include "beam/processes/process_fields.h"

namespace beam_exporter::beam {

// The order in which erts_process_state2status() asks (erl_process.c, OTP 25 and 27).
ProcessStatus process_status(std::uint32_t state) {
  using namespace process_flags;
  using enum ProcessStatus;
  if ((state & process_flags::exiting) != 0) return ProcessStatus::exiting;
  if ((state & gc) != 0) return garbage_collecting;
  if ((state & process_flags::suspended) != 0) return ProcessStatus::suspended;
  if ((state & any_running) != 0) return ProcessStatus::running;
  return (state & any_active) != 0 ? runnable : waiting;
}

std::string_view name_of(ProcessStatus status) {
  static constexpr std::array<std::string_view, 6> names = {
      "exiting", "garbage_collecting", "suspended", "running", "runnable", "waiting"};
  return names[static_cast<std::size_t>(status)];
}

}  // namespace beam_exporter::beam
