#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "beam/virtual_machine.h"
#include "os/result.h"

namespace beam_exporter::session {

// What can be told of one process.
struct ProcessView {
  std::string id;                // "<0.123.0>"
  std::string name;              // as beam::process_name; "": it cannot be read
  std::string status;            // in the words of process_info
  std::uint64_t heap_bytes = 0;  // as total_heap_size
  std::uint64_t messages = 0;    // in its queue
  // As those of profile::ProcessGroup; empty: it runs or hibernates, or has just begun.
  std::vector<std::string> frames;
};

// `who`: "<0.123.0>" as Erlang prints it, or a registered name. It looks at all processes. A
// process that runs may change while it is read: then it is read again some times. One thread.
// Errors: not_found, unreadable.
os::Result<ProcessView> process_view(beam::VirtualMachine& vm, const std::string& who);

}  // namespace beam_exporter::session
