#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/vm_in_memory.h"

namespace beam_exporter::tests {

// One fake VM for each release we ship a layout for: INSTANTIATE with each_release below.
class EachRelease : public ::testing::TestWithParam<std::string> {
 protected:
  VmInMemory vm{shipped_layout(GetParam())};
};

inline const auto each_release = ::testing::Values("25", "27");
inline std::string release_name(const ::testing::TestParamInfo<std::string>& info) {
  return "otp" + info.param;
}

}  // namespace beam_exporter::tests
