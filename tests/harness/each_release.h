#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// One fake VM for each release with a shipped layout. Instantiate it with each_release below.
class EachRelease : public ::testing::TestWithParam<std::string> {
 protected:
  FakeVm vm{shipped_layout(GetParam())};
};

inline const auto each_jit_release = ::testing::Values("24", "25", "26", "27", "28", "29");
inline const auto each_release =
    ::testing::Values("23-emu", "24", "24-emu", "25", "25-emu", "26", "26-emu", "27", "27-emu",
                      "28", "28-emu", "29", "29-emu");
inline const auto each_interpreter =
    ::testing::Values("23-emu", "24-emu", "25-emu", "26-emu", "27-emu", "28-emu", "29-emu");
// Those that are recorded (tests/recordings).
inline const auto each_recording = ::testing::Values("23-emu", "24", "25", "25-emu", "27", "27-emu",
                                                     "27-disable-jit", "29", "29-emu");
// Those whose layouts tell what links and monitors hold.
inline const auto each_release_with_links = ::testing::Values(
    "24", "24-emu", "25", "25-emu", "26", "26-emu", "27", "27-emu", "28", "28-emu", "29", "29-emu");
inline std::string release_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = "otp" + info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace beam_exporter::tests
