#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::tests {

// A real VM that runs one of the programs of tests/targets (puppet.erl has the protocol). The VM
// ends with this object. Failures are exceptions, and fail the test.
class BeamTarget {
 public:
  // The reason why a VM of that release cannot start here; nullopt: it can.
  static std::optional<std::string> lack(const std::string& otp_release);

  // The VM is ready when the constructor returns.
  BeamTarget(const std::string& otp_release, const std::string& program,
             const std::vector<std::string>& flags = {});
  BeamTarget(const BeamTarget&) = delete;
  ~BeamTarget();

  pid_t pid() const { return pid_; }
  nlohmann::json ask(const std::string& request);

 private:
  nlohmann::json await(const std::string& key);
  std::string read_line();

  pid_t pid_ = 0;
  os::UniqueFd input_, output_;
  std::string unread_;
};

}  // namespace beam_exporter::tests
