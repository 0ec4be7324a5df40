#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace beam_exporter::metrics {

// Compares with tests/golden/<name>; UPDATE_GOLDEN=1 in the environment rewrites it instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(SOURCE_DIR "/tests/golden/") + name;
  if (std::getenv("UPDATE_GOLDEN")) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "rewrote " << path;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace beam_exporter::metrics
