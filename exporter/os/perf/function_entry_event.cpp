#include "os/perf/function_entry_event.h"

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "os/rights/perf_event_call.h"

namespace beam_exporter::os {

Result<UniqueFd> open_function_entry_event(pid_t pid, const std::filesystem::path& executable,
                                           std::uint64_t file_offset) {
  std::uint32_t type = 0;
  if (!(std::ifstream("/sys/bus/event_source/devices/uprobe/type") >> type))
    return Error{ErrorKind::unsupported, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)"};
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = type;
  attr.uprobe_path = reinterpret_cast<std::uint64_t>(executable.c_str());
  attr.probe_offset = file_offset;
  attr.sample_period = 1;
  UniqueFd fd = open_perf_event(attr, pid);
  if (fd) return fd;
  const int error = errno;
  if (error == EACCES || error == EPERM)
    return Error{ErrorKind::not_permitted, "uprobes are refused (add CAP_SYS_ADMIN)"};
  if (error == ESRCH)
    return Error{ErrorKind::gone, "process " + std::to_string(pid) + " has ended"};
  return Error{ErrorKind::system,
               std::string("cannot place a uprobe: ") + std::generic_category().message(error)};
}

}  // namespace beam_exporter::os
