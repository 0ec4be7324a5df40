#include "os/perf/perf_ring.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "os/unique_fd.h"

namespace beam_exporter::os {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, T value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

// The body as perf_event_open(2) describes it for our sample_type.
Bytes sample_body(std::uint32_t tid, const std::string& stack, std::uint64_t stack_room) {
  Bytes body;
  append(body, std::uint32_t{4000});
  append(body, tid);
  append(body, std::uint64_t{123456789});
  append(body, std::uint64_t{5});  // PERF_SAMPLE_READ: the count, and the time
  append(body, std::uint64_t{77000});
  append(body, std::uint64_t{PERF_SAMPLE_REGS_ABI_64});
  for (std::uint64_t bit = 0; bit < 64; ++bit)  // each register holds its number in asm/perf_regs.h
    if ((sampled_register_mask >> bit & 1) != 0) append(body, 1000 + bit);
  append(body, stack_room);
  if (stack_room == 0) return body;
  const auto* from = reinterpret_cast<const std::byte*>(stack.data());
  body.insert(body.end(), from, from + stack.size());
  body.resize(body.size() + stack_room - stack.size());
  append(body, static_cast<std::uint64_t>(stack.size()));
  return body;
}

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(DecodeSample, takes_thread_time_registers_and_stack) {
  const Bytes body = sample_body(4711, "the stack.", 64);
  PerfSample sample;
  ASSERT_TRUE(decode_sample(body, KernelStacks::left_out, sample));
  EXPECT_EQ(sample.tid, 4711);
  EXPECT_EQ(sample.time, std::chrono::nanoseconds(123456789));
  EXPECT_EQ(sample.run_time, std::chrono::nanoseconds(77000));
  ASSERT_TRUE(sample.has_registers);
  EXPECT_EQ(text(sample.stack), "the stack.");
  using R = UserRegisters;
  // enum perf_event_x86_regs: AX BX CX DX SI DI BP SP IP, then (past flags and segments) R8 at 16.
  const std::vector<std::pair<R::Index, std::uint64_t>> expected = {
      {R::rax, 0},  {R::rbx, 1},  {R::rcx, 2},  {R::rdx, 3},  {R::rsi, 4}, {R::rdi, 5},
      {R::rbp, 6},  {R::rsp, 7},  {R::rip, 8},  {R::r8, 16},  {R::r9, 17}, {R::r10, 18},
      {R::r11, 19}, {R::r12, 20}, {R::r13, 21}, {R::r14, 22}, {R::r15, 23}};
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(R::count));
  for (const auto& [index, number] : expected)
    EXPECT_EQ(sample.registers[index], 1000 + number) << index;
}

TEST(DecodeSample, an_empty_stack_is_no_error) {
  PerfSample sample;
  ASSERT_TRUE(decode_sample(sample_body(1, "", 0), KernelStacks::left_out, sample));
  EXPECT_TRUE(sample.stack.empty());
  ASSERT_TRUE(decode_sample(sample_body(1, "", 64), KernelStacks::left_out, sample));
  EXPECT_TRUE(sample.stack.empty());
}

TEST(DecodeSample, a_thread_without_user_state_has_no_registers) {
  Bytes body;
  append(body, std::uint32_t{1});
  append(body, std::uint32_t{2});
  append(body, std::uint64_t{3});
  append(body, std::uint64_t{5});
  append(body, std::uint64_t{77000});
  append(body, std::uint64_t{PERF_SAMPLE_REGS_ABI_NONE});
  append(body, std::uint64_t{0});
  PerfSample sample;
  sample.has_registers = true;
  ASSERT_TRUE(decode_sample(body, KernelStacks::left_out, sample));
  EXPECT_EQ(sample.tid, 2);
  EXPECT_FALSE(sample.has_registers);
  EXPECT_TRUE(sample.stack.empty());
}

TEST(DecodeSample, refuses_the_registers_of_a_32_bit_process) {
  Bytes body = sample_body(1, "", 0);
  const std::uint64_t abi = PERF_SAMPLE_REGS_ABI_32;
  std::memcpy(body.data() + 32, &abi, sizeof abi);
  PerfSample sample;
  EXPECT_FALSE(decode_sample(body, KernelStacks::left_out, sample));
}

TEST(DecodeSample, refuses_every_truncation) {
  const Bytes whole = sample_body(1, "abcdefgh", 16);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    PerfSample sample;
    EXPECT_FALSE(decode_sample(cut, KernelStacks::left_out, sample))
        << length << " of " << whole.size();
  }
}

TEST(DecodeSample, refuses_sizes_that_lie) {
  const Bytes whole = sample_body(1, "abcdefgh", 16);
  const std::size_t room_at = 40 + 17 * 8, filled_at = whole.size() - 8;
  for (const std::uint64_t lie :
       {std::uint64_t{25}, std::uint64_t{1} << 32, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    PerfSample sample;
    Bytes body = whole;
    std::memcpy(body.data() + room_at, &lie, sizeof lie);
    EXPECT_FALSE(decode_sample(body, KernelStacks::left_out, sample)) << "room " << lie;
    body = whole;
    std::memcpy(body.data() + filled_at, &lie, sizeof lie);
    EXPECT_FALSE(decode_sample(body, KernelStacks::left_out, sample)) << "filled " << lie;
  }
}

// The kernel's side of a ring, played on a file of our own.
class FakeRing : public testing::Test {
 protected:
  static constexpr std::size_t data_pages = 2;

  void SetUp() override {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    fd_ = UniqueFd(memfd_create("ring", MFD_CLOEXEC));
    ASSERT_EQ(ftruncate(fd_.get(), static_cast<off_t>((1 + data_pages) * page_)), 0);
    base_ =
        mmap(nullptr, (1 + data_pages) * page_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    ASSERT_NE(base_, MAP_FAILED);
  }
  void TearDown() override { munmap(base_, (1 + data_pages) * page_); }

  perf_event_mmap_page& control() { return *static_cast<perf_event_mmap_page*>(base_); }
  std::size_t ring_bytes() const { return data_pages * page_; }
  // Both ends of an empty ring; the counts of the kernel run on for ever.
  void begin_at(std::uint64_t position) { control().data_head = control().data_tail = position; }

  void put_bytes(const Bytes& bytes) {
    auto* data = static_cast<std::byte*>(base_) + page_;
    for (const std::byte byte : bytes) data[control().data_head++ % ring_bytes()] = byte;
  }
  void put(std::uint32_t type, const Bytes& body) {
    put_header(type, body.size() + sizeof(perf_event_header));
    put_bytes(body);
  }
  void put_header(std::uint32_t type, std::size_t size) {
    Bytes header;
    append(header, perf_event_header{type, 0, static_cast<std::uint16_t>(size)});
    put_bytes(header);
  }
  void put_lost(std::uint64_t count) {
    Bytes body;
    append(body, std::uint64_t{77});
    append(body, count);
    put(PERF_RECORD_LOST, body);
  }

  PerfRing ring() {
    auto made = PerfRing::map(fd_.get(), data_pages);
    if (!made) ADD_FAILURE() << made.error().text;
    return std::move(*made);
  }
  // The stacks of what is handed out, and what was lost.
  std::vector<std::string> drained(PerfRing& ring) {
    std::vector<std::string> stacks;
    lost_ += ring.drain([&](const PerfSample& sample) { stacks.push_back(text(sample.stack)); });
    return stacks;
  }

  std::size_t page_ = 0;
  UniqueFd fd_;
  void* base_ = nullptr;
  std::uint64_t lost_ = 0;
};

using Stacks = std::vector<std::string>;

TEST_F(FakeRing, hands_out_samples_in_order_and_only_once) {
  PerfRing ring = this->ring();
  EXPECT_EQ(drained(ring), Stacks{});
  put(PERF_RECORD_SAMPLE, sample_body(1, "one", 8));
  put(PERF_RECORD_SAMPLE, sample_body(1, "two", 8));
  EXPECT_EQ(drained(ring), (Stacks{"one", "two"}));
  EXPECT_EQ(control().data_tail, control().data_head);
  EXPECT_EQ(drained(ring), Stacks{});
  put(PERF_RECORD_SAMPLE, sample_body(1, "three", 8));
  EXPECT_EQ(drained(ring), Stacks{"three"});
  EXPECT_EQ(lost_, 0u);
}

TEST_F(FakeRing, a_record_that_crosses_the_end_comes_in_one_piece) {
  PerfRing ring = this->ring();
  const std::string stack = "0123456789abcdef0123456789ABCDEF";
  const Bytes body = sample_body(1, stack, 32);
  // Every aligned place of the border inside the record, far on in the kernel's count.
  for (std::size_t back = 8; back <= body.size() + 8; back += 8) {
    begin_at(1'000'000 * ring_bytes() - back);
    put(PERF_RECORD_SAMPLE, body);
    put(PERF_RECORD_SAMPLE, sample_body(1, "next", 8));
    EXPECT_EQ(drained(ring), (Stacks{stack, "next"})) << back;
  }
  EXPECT_EQ(lost_, 0u);
}

TEST_F(FakeRing, a_ring_may_be_full_to_the_last_byte) {
  PerfRing ring = this->ring();
  const std::size_t fixed = sizeof(perf_event_header) + sample_body(1, "", 8).size() - 8;
  const std::string stack(ring_bytes() - fixed, 's');
  begin_at(8 * ring_bytes() + 64);
  put(PERF_RECORD_SAMPLE, sample_body(1, stack, stack.size()));
  ASSERT_EQ(control().data_head - control().data_tail, ring_bytes());
  EXPECT_EQ(drained(ring), Stacks{stack});
}

TEST_F(FakeRing, counts_what_the_kernel_dropped_and_passes_over_other_records) {
  PerfRing ring = this->ring();
  put(PERF_RECORD_THROTTLE, Bytes(24));
  put_lost(5);
  put(PERF_RECORD_SAMPLE, sample_body(1, "one", 8));
  put_lost(2);
  put(PERF_RECORD_LOST, Bytes(8));  // too short to say how many
  put(PERF_RECORD_EXIT, Bytes(24));
  EXPECT_EQ(drained(ring), Stacks{"one"});
  EXPECT_EQ(lost_, 7u);
}

TEST_F(FakeRing, a_sample_that_makes_no_sense_is_lost_and_the_next_is_not) {
  PerfRing ring = this->ring();
  Bytes cut = sample_body(1, "one", 8);
  cut.resize(cut.size() - 8);
  put(PERF_RECORD_SAMPLE, cut);
  put(PERF_RECORD_SAMPLE, sample_body(1, "two", 8));
  EXPECT_EQ(drained(ring), Stacks{"two"});
  EXPECT_EQ(lost_, 1u);
}

// Sizes that would stand still, run past what was written, or past the whole ring.
TEST_F(FakeRing, a_record_with_an_impossible_size_loses_what_is_there_and_nothing_after) {
  PerfRing ring = this->ring();
  for (const std::size_t size : {0u, 7u, 2000u, 65535u}) {
    lost_ = 0;
    put(PERF_RECORD_SAMPLE, sample_body(1, "one", 8));
    put_header(PERF_RECORD_SAMPLE, size);
    put_bytes(Bytes(64));
    EXPECT_EQ(drained(ring), Stacks{"one"}) << size;
    EXPECT_EQ(lost_, 1u) << size;
    put(PERF_RECORD_SAMPLE, sample_body(1, "two", 8));
    EXPECT_EQ(drained(ring), Stacks{"two"}) << size;
  }
}

TEST_F(FakeRing, a_head_further_than_the_ring_is_long_is_not_believed) {
  PerfRing ring = this->ring();
  put_header(PERF_RECORD_SAMPLE, 65528);
  control().data_head = control().data_tail + 20 * ring_bytes();
  EXPECT_EQ(drained(ring), Stacks{});
  EXPECT_GT(lost_, 0u);
  put(PERF_RECORD_SAMPLE, sample_body(1, "two", 8));
  EXPECT_EQ(drained(ring), Stacks{"two"});
}

TEST_F(FakeRing, moves_and_leaves_nothing_behind) {
  PerfRing first = ring();
  PerfRing second = std::move(first);
  PerfRing third = ring();
  third = std::move(second);
  put(PERF_RECORD_SAMPLE, sample_body(1, "one", 8));
  EXPECT_EQ(drained(third), Stacks{"one"});
}

TEST(PerfRing, says_what_it_could_not_map) {
  const auto ring = PerfRing::map(-1, 8);
  ASSERT_FALSE(ring);
  EXPECT_EQ(ring.error().kind, ErrorKind::system);
  EXPECT_NE(ring.error().text.find("36 KiB"), std::string::npos) << ring.error().text;
}

}  // namespace
}  // namespace beam_exporter::os
