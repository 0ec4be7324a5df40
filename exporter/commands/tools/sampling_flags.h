#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/tools/tool.h"
#include "profile/profile.h"
#include "session/recording.h"

namespace beam_exporter::commands {

// The flags of tools that sample the VM themselves, and the sampling.
class SamplingFlags {
 public:
  std::vector<Flag> flags();
  Flag frequency();
  Flag include_kernel();
  // For a tool with include_kernel(): call it while we still have all rights.
  void read_kernel_symbols();

  // For a tool that waits in its own way. `blamed`: native functions whose work is marked. Errors:
  // as beam::find_target and session::Recording::begin.
  os::Result<std::unique_ptr<session::Recording>> begin(
      const ToolContext& context, const std::vector<std::string>& blamed = {}) const;

  // Shows its progress on stderr; Ctrl-C ends it early. The profile says whether the VM ended
  // before, which stderr then says too. Errors: as begin().
  os::Result<profile::Profile> record(const ToolContext& context,
                                      const std::vector<std::string>& blamed = {}) const;

 private:
  std::int64_t seconds_ = 10;
  std::int64_t frequency_ = 199;
  bool include_kernel_ = false;
  std::shared_ptr<const os::KernelSymbols> kernel_;
};

}  // namespace beam_exporter::commands
