#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// One fake VM for each release we ship a layout for: INSTANTIATE with each_release below.
class EachRelease : public ::testing::TestWithParam<std::string> {
 protected:
  FakeVm vm{shipped_layout(GetParam())};
};

inline const auto each_release = ::testing::Values("25", "27");
inline std::string release_name(const ::testing::TestParamInfo<std::string>& info) {
  return "otp" + info.param;
}

}  // namespace beam_exporter::tests
