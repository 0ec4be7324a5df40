#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::tests {

// A real VM with one of the programs of tests/targets in it (puppet.erl has the protocol); ended
// with this object. Failures are exceptions: a test that meets one has failed.
class BeamTarget {
 public:
  // Why a VM of that release cannot be started here, else nothing.
  static std::optional<std::string> lack(const std::string& otp_release);

  // Ready when made.
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
