#pragma once

#include <gtest/gtest.h>

#include <string>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// One fake VM for each release with a shipped layout. Instantiate it with each_release below.
class EachRelease : public ::testing::TestWithParam<std::string> {
 protected:
  FakeVm vm{shipped_layout(GetParam())};
};

inline const auto each_release = ::testing::Values("24", "25", "26", "27", "28", "29");
inline std::string release_name(const ::testing::TestParamInfo<std::string>& info) {
  return "otp" + info.param;
}

}  // namespace beam_exporter::tests
