#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace beam_exporter::elf {

namespace fs = std::filesystem;

inline void run(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

// A root folder as a target's: our own binary, stripped, as opt/app/vm, its debug file to be put
// somewhere.
class StrippedRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / ("root-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "opt/app");
    fs::copy_file("/proc/self/exe", root_ / "full");
    run("cd " + root_.string() +
        " && objcopy --only-keep-debug full vm.debug && cp full opt/app/vm");
  }
  void TearDown() override { fs::remove_all(root_); }

  void strip(const std::string& options) {
    run("cd " + root_.string() + " && objcopy " + options +
        " --strip-all --add-gnu-debuglink=vm.debug opt/app/vm");
  }

  void put_debug_file(const std::string& where) {
    fs::create_directories((root_ / where).parent_path());
    fs::copy_file(root_ / "vm.debug", root_ / where);
  }

  fs::path root_;
};

inline const std::string keep_build_id;
inline const std::string drop_build_id = "--remove-section=.note.gnu.build-id";

}  // namespace beam_exporter::elf
