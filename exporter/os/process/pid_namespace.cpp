#include "os/process/pid_namespace.h"

#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <string>

namespace beam_exporter::os {

PidNamespace pid_namespace(const std::filesystem::path& proc_directory) {
  struct stat status {};
  if (stat((proc_directory / "ns/pid").c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

std::optional<pid_t> innermost_tid(const std::filesystem::path& proc_directory, pid_t tid) {
  std::ifstream file(proc_directory / "task" / std::to_string(tid) / "status");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key != "NSpid:") continue;
    // Outermost first (proc_pid_status(5)).
    std::optional<pid_t> last;
    for (pid_t id = 0; words >> id;) last = id;
    return last;
  }
  return std::nullopt;
}

}  // namespace beam_exporter::os
