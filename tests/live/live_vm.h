#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "beam/virtual_machine.h"
#include "harness/beam_target.h"
#include "os/memory/process_memory.h"

namespace beam_exporter::tests {

// A witness VM of the release that the test is for, attached to. All tests of one release share the
// VM; each attaches anew.
class LiveVm : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  static void TearDownTestSuite();

  BeamTarget& target() { return *target_; }
  beam::VirtualMachine& vm() { return *vm_; }
  os::Result<beam::VirtualMachine::Description> description() const;
  os::Result<std::unique_ptr<beam::VirtualMachine>> attach(
      beam::VirtualMachine::Description known) const;
  static std::chrono::nanoseconds now();

 private:
  static std::unique_ptr<BeamTarget> target_;
  static std::string target_release_;
  std::unique_ptr<os::ProcessMemory> memory_;
  std::unique_ptr<beam::VirtualMachine> vm_;
};

inline const auto live_releases = ::testing::Values("25", "27");
inline std::string live_release_name(const ::testing::TestParamInfo<std::string>& info) {
  return "otp" + info.param;
}

}  // namespace beam_exporter::tests
