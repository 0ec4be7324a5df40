#include "elf/loaded_objects.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include "harness/child_process.h"
#include "harness/temporary_folder.h"
#include "os/memory/process_memory.h"

namespace beam_exporter::elf {
namespace {

namespace fs = std::filesystem;
using tests::ChildProcess;

// A copy of a library, mapped by this process as a loader does it.
class LoadedCopy : public testing::Test {
 protected:
  void SetUp() override {
    copy_ = folder_ / "library.so";
    fs::copy_file(NATIVE_SAMPLE, copy_);
    const os::UniqueFd fd(open(copy_.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(fd);
    size_ = fs::file_size(copy_);
    mapped_ = mmap(nullptr, size_, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
    ASSERT_NE(mapped_, MAP_FAILED);
  }
  void TearDown() override {
    if (mapped_ != MAP_FAILED) munmap(mapped_, size_);
  }

  // What another process, or this one, sees of `pid`'s mapping.
  bool found_in(pid_t pid) const {
    const auto process = os::Process::open(pid);
    const auto map = os::MemoryMap::read(process->directory());
    const os::ProcessMemory memory(pid);
    LoadedObjects objects(*process, memory);
    objects.update(*map);
    const auto* object = objects.at(reinterpret_cast<os::Address>(mapped_) + 1);
    return object != nullptr && object->frames &&
           object->bias == reinterpret_cast<os::Address>(mapped_);
  }
  // As found_in(), by one who may not open /proc/PID/map_files.
  bool found_by_path_in(pid_t pid) const {
    return ChildProcess::forked([&] {
             __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
             __user_cap_data_struct data[2] = {};
             if (getuid() == 0)
               data[0].effective = data[0].permitted =
                   1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH;
             if (syscall(SYS_capset, &header, data) != 0) return 2;
             return found_in(pid) ? 0 : 1;
           }).join() == 0;
  }

  const tests::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
  fs::path copy_;
  std::size_t size_ = 0;
  void* mapped_ = MAP_FAILED;
};

TEST_F(LoadedCopy, is_opened) {
  EXPECT_TRUE(found_in(getpid()));
  EXPECT_TRUE(found_by_path_in(getpid()));
}

TEST_F(LoadedCopy, another_file_under_its_name_is_not_taken_for_it) {
  fs::copy_file(copy_, folder_ / "other.so");
  fs::rename(folder_ / "other.so", copy_);
  EXPECT_FALSE(found_by_path_in(getpid()));
}

// maps names the files of a process in a chroot as we see them, not as it does.
TEST_F(LoadedCopy, is_found_for_a_target_in_a_chroot) {
  if (getuid() != 0) GTEST_SKIP() << "chroot needs root";
  auto target = ChildProcess::forked([&] {
    if (chroot(folder_.c_str()) != 0 || write(STDOUT_FILENO, "ready\n", 6) != 6) return 1;
    tests::await_word();
    return 0;
  });
  ASSERT_EQ(target.read_line(), "ready");
  EXPECT_TRUE(found_by_path_in(target.pid()));
  target.say_word();
  EXPECT_EQ(target.join(), 0);
}

TEST_F(LoadedCopy, is_forgotten_when_it_is_no_longer_mapped) {
  const auto process = os::Process::open(getpid());
  const os::ProcessMemory memory(getpid());
  LoadedObjects objects(*process, memory);
  objects.update(*os::MemoryMap::read(process->directory()));
  const auto inside = reinterpret_cast<os::Address>(mapped_) + 1;
  ASSERT_NE(objects.at(inside), nullptr);
  munmap(mapped_, size_);
  mapped_ = MAP_FAILED;
  objects.update(*os::MemoryMap::read(process->directory()));
  EXPECT_EQ(objects.at(inside), nullptr);
  EXPECT_EQ(objects.opened(), 0u);
}

TEST(LoadedObjects, reads_the_vdso_from_memory) {
  const auto process = os::Process::open(getpid());
  const os::ProcessMemory memory(getpid());
  LoadedObjects objects(*process, memory);
  const auto map = os::MemoryMap::read(process->directory());
  objects.update(*map);
  bool seen = false;
  for (const auto& mapping : map->mappings()) {
    if (mapping.path != "[vdso]") continue;
    auto* object = objects.at(mapping.range.begin + 1);
    ASSERT_NE(object, nullptr);
    EXPECT_FALSE(object->symbols().functions().empty());
    seen = true;
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace beam_exporter::elf
