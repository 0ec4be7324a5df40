#pragma once

#include <cstdint>
#include <string_view>

namespace beam_exporter::beam {

// What a process does, in the words of process_info(Pid, status). A hibernating process waits.
enum class ProcessStatus : std::uint8_t {
  exiting,
  garbage_collecting,
  suspended,
  running,
  runnable,  // it waits for a scheduler
  waiting,   // for a message
};

// `state` is ProcessFields::state of a process that is not free.
ProcessStatus process_status(std::uint32_t state);
std::string_view name_of(ProcessStatus status);

}  // namespace beam_exporter::beam
