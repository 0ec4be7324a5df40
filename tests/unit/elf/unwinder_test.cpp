#include "elf/unwinder.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "os/memory/process_memory.h"

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;

constexpr std::size_t copied_bytes = 16 * 1024;
constexpr int most_frames = 64;

// What a sampling source would carry of this very thread, and what glibc says of it.
struct Sample {
  os::UserRegisters registers;
  std::vector<std::byte> stack;
  std::vector<os::Address> callers;  // return addresses, innermost first
};

[[gnu::noinline]] void take(Sample& sample) {
  ucontext_t context;
  getcontext(&context);
  const auto& from = context.uc_mcontext.gregs;
  constexpr std::pair<Register::Index, int> order[] = {
      {Register::rax, REG_RAX}, {Register::rdx, REG_RDX}, {Register::rcx, REG_RCX},
      {Register::rbx, REG_RBX}, {Register::rsi, REG_RSI}, {Register::rdi, REG_RDI},
      {Register::rbp, REG_RBP}, {Register::rsp, REG_RSP}, {Register::r8, REG_R8},
      {Register::r9, REG_R9},   {Register::r10, REG_R10}, {Register::r11, REG_R11},
      {Register::r12, REG_R12}, {Register::r13, REG_R13}, {Register::r14, REG_R14},
      {Register::r15, REG_R15}, {Register::rip, REG_RIP}};
  for (const auto& [to, number] : order)
    sample.registers.value[to] = static_cast<std::uint64_t>(from[number]);
  sample.stack.resize(copied_bytes);
  // Our own stack as a stranger would copy it: AddressSanitizer has no say in it.
  const os::ProcessMemory own(getpid());
  std::size_t size = copied_bytes;
  while (size > 0 &&
         !own.read(sample.registers[Register::rsp], std::span(sample.stack).first(size)))
    size /= 2;
  sample.stack.resize(size);
  void* found[most_frames];
  const int count = backtrace(found, most_frames);
  for (int k = 1; k < count; ++k) sample.callers.push_back(reinterpret_cast<os::Address>(found[k]));
}

[[gnu::noinline]] int deeper(int depth, Sample& sample) {
  volatile char some_room[40] = {};
  if (depth == 0)
    take(sample);
  else
    deeper(depth - 1, sample);
  return some_room[0] + depth;
}

class Unwinder : public testing::Test {
 protected:
  void SetUp() override {
    process_ = *os::Process::open(getpid());
    memory_.emplace(getpid());
    objects_.emplace(*process_, *memory_);
    objects_->update(*os::MemoryMap::read(process_->directory()));
    deeper(10, sample_);
  }
  NativeStack unwind_all(std::span<const std::byte> stack) {
    return unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], stack},
                  [](os::Address) { return false; });
  }

  std::optional<os::Process> process_;
  std::optional<os::ProcessMemory> memory_;
  std::optional<LoadedObjects> objects_;
  Sample sample_;
};

TEST_F(Unwinder, FindsTheCallersThatGlibcFinds) {
  const auto stack = unwind_all(sample_.stack);
  std::vector<os::Address> ours;
  for (std::size_t k = 1; k < stack.frames.size(); ++k) ours.push_back(stack.frames[k].address);
  constexpr std::size_t compared = 14;
  ASSERT_GE(ours.size(), compared);
  ours.resize(compared);
  // A sanitizer's own backtrace() is one frame more, further in.
  const auto found = std::ranges::search(sample_.callers, ours);
  EXPECT_FALSE(found.empty());
  EXPECT_LE(found.begin() - sample_.callers.begin(), 1);
}

TEST_F(Unwinder, StopsWhereItIsTold) {
  const os::Address wanted = sample_.callers.at(5);
  const auto stack =
      unwind(*objects_, sample_.registers, {sample_.registers[Register::rsp], sample_.stack},
             [&](os::Address address) { return address == wanted; });
  EXPECT_EQ(stack.end, UnwindEnd::reached);
  EXPECT_EQ(stack.frames.back().address, wanted);
  // Frames grow upwards, each beginning where the one before ended.
  for (std::size_t k = 1; k + 1 < stack.frames.size(); ++k)
    EXPECT_GT(stack.frames[k].cfa, stack.frames[k - 1].cfa);
  EXPECT_EQ(stack.registers[Register::rsp], stack.frames[stack.frames.size() - 2].cfa);
}

TEST_F(Unwinder, LooksAtTheCopiedBytesOnly) {
  const auto stack = unwind_all(std::span(sample_.stack).first(64));
  EXPECT_EQ(stack.end, UnwindEnd::no_stack);
  EXPECT_LT(stack.frames.size(), 10u);
}

TEST_F(Unwinder, SurvivesAnyStack) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    auto damaged = sample_.stack;
    for (std::size_t at = seed % 97; at < damaged.size(); at += 97)
      damaged[at] ^= std::byte(seed + 1);
    EXPECT_LE(unwind_all(damaged).frames.size(), 256u);
  }
}

TEST_F(Unwinder, HasNoRulesOutsideOfEveryFile) {
  auto registers = sample_.registers;
  registers.value[Register::rip] = reinterpret_cast<os::Address>(&registers);
  const auto stack = unwind(*objects_, registers, {registers[Register::rsp], sample_.stack},
                            [](os::Address) { return false; });
  EXPECT_EQ(stack.end, UnwindEnd::no_rules);
  EXPECT_EQ(stack.frames.size(), 1u);
}

}  // namespace
}  // namespace beam_exporter::elf
