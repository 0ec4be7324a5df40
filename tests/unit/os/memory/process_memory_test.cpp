#include "os/memory/process_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "harness/child_process.h"
#include "os/memory/memory_map.h"
#include "os/memory/process_memory_file.h"

namespace beam_exporter::os {
namespace {

// Each way to read a process's memory.
enum class Way { call, file };

std::unique_ptr<Memory> memory_of(pid_t pid, Way way) {
  if (way == Way::call) return std::make_unique<ProcessMemory>(pid);
  auto file = ProcessMemoryFile::open(pid);
  return file ? std::move(*file) : nullptr;
}

const auto each_way = testing::Values(Way::call, Way::file);
std::string name_of(const testing::TestParamInfo<Way>& way) {
  return way.param == Way::call ? "call" : "file";
}

// Two pages of ours with known content, and a third that has none: it is behind its file's end.
class OwnPages : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    memory_ = memory_of(getpid(), GetParam());
    ASSERT_NE(memory_, nullptr);
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* pages =
        mmap(nullptr, 3 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    bytes_ = static_cast<unsigned char*>(pages);
    for (std::size_t k = 0; k < 2 * page_; ++k) bytes_[k] = byte_at(k);
    const UniqueFd empty(memfd_create("empty", MFD_CLOEXEC));
    ASSERT_NE(mmap(bytes_ + 2 * page_, page_, PROT_READ, MAP_SHARED | MAP_FIXED, empty.get(), 0),
              MAP_FAILED);
  }
  void TearDown() override { munmap(bytes_, 3 * page_); }

  static unsigned char byte_at(std::size_t k) {
    return static_cast<unsigned char>(k * 7 + k / 256);
  }
  Address at(std::size_t offset) const { return reinterpret_cast<Address>(bytes_) + offset; }

  bool holds(std::span<const std::byte> got, std::size_t offset) const {
    for (std::size_t k = 0; k < got.size(); ++k)
      if (std::to_integer<unsigned char>(got[k]) != byte_at(offset + k)) return false;
    return true;
  }

  std::size_t page_ = 0;
  unsigned char* bytes_ = nullptr;
  std::unique_ptr<Memory> memory_;
};

TEST_P(OwnPages, reads_what_is_there) {
  std::vector<std::byte> into(page_ + 100);
  ASSERT_TRUE(memory_->read(at(50), into));
  EXPECT_TRUE(holds(into, 50));
  std::uint32_t expected = 0;
  std::memcpy(&expected, bytes_ + 8, sizeof expected);
  EXPECT_EQ(memory_->value<std::uint32_t>(at(8)), expected);
}

TEST_P(OwnPages, a_piece_that_is_only_partly_there_is_not_read) {
  std::vector<std::byte> into(page_);
  EXPECT_TRUE(memory_->read(at(page_), into));
  EXPECT_FALSE(memory_->read(at(page_ + 1), into));
  EXPECT_FALSE(memory_->read(at(2 * page_), into));
  EXPECT_EQ(memory_->value<std::uint64_t>(at(2 * page_ - 4)), std::nullopt);
}

TEST_P(OwnPages, no_address_is_dangerous) {
  std::vector<std::byte> into(64);
  for (const Address address : {Address{0}, Address{1}, ~Address{0}, ~Address{0} - 63,
                                ~Address{0} - 10, Address{1} << 63, Address{0x800000000000}}) {
    EXPECT_FALSE(memory_->read(address, into)) << address;
    EXPECT_EQ(memory_->value<std::uint64_t>(address), std::nullopt) << address;
    ReadRequest requests[] = {{at(0), into}, {address, into}, {at(0), into}};
    memory_->read_batch(requests);
    EXPECT_TRUE(requests[0].ok && !requests[1].ok && requests[2].ok) << address;
  }
}

// Every combination of good, bad and partly bad pieces around each other.
TEST_P(OwnPages, each_piece_of_a_batch_says_for_itself) {
  const std::size_t size = 48;
  const std::size_t places[] = {16, 2 * page_, 2 * page_ - size / 2, page_ - 8};
  const bool readable[] = {true, false, false, true};
  constexpr int kinds = 4, pieces = 4;
  for (int combination = 0; combination < kinds * kinds * kinds * kinds; ++combination) {
    std::vector<std::byte> room(pieces * size);
    std::vector<ReadRequest> requests;
    std::vector<int> kind_of;
    for (int k = 0, rest = combination; k < pieces; ++k, rest /= kinds) {
      kind_of.push_back(rest % kinds);
      requests.push_back({at(places[rest % kinds]),
                          std::span(room).subspan(static_cast<std::size_t>(k) * size, size)});
    }
    memory_->read_batch(requests);
    for (std::size_t k = 0; k < pieces; ++k) {
      const auto kind = static_cast<std::size_t>(kind_of[k]);
      ASSERT_EQ(requests[k].ok, readable[kind]) << combination << " piece " << k;
      if (requests[k].ok) {
        ASSERT_TRUE(holds(requests[k].into, places[kind]));
      }
    }
  }
}

TEST_P(OwnPages, a_batch_may_have_more_pieces_than_one_system_call_takes) {
  for (const std::size_t count : {1023u, 1024u, 1025u, 5000u}) {
    std::vector<std::uint16_t> room(count);
    std::vector<ReadRequest> requests;
    for (std::size_t k = 0; k < count; ++k) requests.push_back({at(k), bytes_of(room[k])});
    const std::size_t bad[] = {0, 1022, 1024, count - 1};
    for (const std::size_t k : bad)
      if (k < count) requests[k].from = at(2 * page_);
    memory_->read_batch(requests);
    for (std::size_t k = 0; k < count; ++k) {
      const bool is_bad = std::ranges::count(bad, k) > 0;
      ASSERT_EQ(requests[k].ok, !is_bad) << k << " of " << count;
      if (!is_bad) {
        ASSERT_TRUE(holds(requests[k].into, k)) << k << " of " << count;
      }
    }
  }
}

TEST_P(OwnPages, a_flag_left_over_from_a_former_batch_means_nothing) {
  std::byte into[8];
  ReadRequest requests[] = {{at(2 * page_), into, true}, {at(2 * page_), into, true}};
  memory_->read_batch(requests);
  EXPECT_FALSE(requests[0].ok || requests[1].ok);
  memory_->read_batch({});
}

INSTANTIATE_TEST_SUITE_P(Each, OwnPages, each_way, name_of);

TEST(ProcessMemory, of_a_page_that_its_owner_may_not_touch_is_not_read) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* shut = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shut, MAP_FAILED);
  EXPECT_EQ(ProcessMemory(getpid()).value<char>(reinterpret_cast<Address>(shut)), std::nullopt);
  munmap(shut, page);
}

class OtherProcess : public testing::TestWithParam<Way> {
 protected:
  static tests::ChildProcess start() {
    auto child = tests::ChildProcess::forked([] {
      word = 0x1122334455667788;
      if (write(STDOUT_FILENO, "\n", 1) != 1) return 1;
      tests::await_word();
      execlp("sh", "sh", "-c", "echo; read word", nullptr);
      return 1;
    });
    child.read_line();
    return child;
  }
  static Address place() { return reinterpret_cast<Address>(&word); }

 private:
  static volatile std::uint64_t word;
};
volatile std::uint64_t OtherProcess::word = 1;

TEST_P(OtherProcess, is_read_until_it_ends) {
  auto child = start();
  const auto memory = memory_of(child.pid(), GetParam());
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->value<std::uint64_t>(place()), 0x1122334455667788u);
  EXPECT_EQ(ProcessMemory(getpid()).value<std::uint64_t>(place()), 1u);
  child.kill_without_reaping();
  EXPECT_EQ(memory->value<std::uint64_t>(place()), std::nullopt);
  child.join();
  EXPECT_EQ(memory->value<std::uint64_t>(place()), std::nullopt);
  if (GetParam() == Way::file) {
    EXPECT_EQ(memory_of(child.pid(), Way::file), nullptr);
  }
}

TEST_P(OtherProcess, the_file_is_that_of_the_program_it_was_opened_for) {
  auto child = start();
  const auto memory = memory_of(child.pid(), GetParam());
  ASSERT_NE(memory, nullptr);
  child.say_word();
  child.read_line();
  const auto map = MemoryMap::read("/proc/" + std::to_string(child.pid()));
  ASSERT_TRUE(map && !map->mappings().empty());
  const Address of_the_new_one = map->mappings().front().range.begin;
  EXPECT_EQ(memory->value<char>(of_the_new_one).has_value(), GetParam() == Way::call);
  const auto again = memory_of(child.pid(), GetParam());
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(again->value<char>(of_the_new_one));
}

INSTANTIATE_TEST_SUITE_P(Each, OtherProcess, each_way, name_of);

}  // namespace
}  // namespace beam_exporter::os
