#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "unit/sampling/ebpf_stage.h"

// What the kernel half takes of a VM's memory, and within which bounds.
namespace beam_exporter::sampling {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using tests::MarkedThread;
using tests::marks;

class EbpfReadsTest : public tests::EbpfProgramTest {};

// Memory of ours as the kernel half takes it for that of a VM.
struct FakeScheduler {
  explicit FakeScheduler(const beam::Layout& layout)
      : at(layout),
        data(layout.scheduler_data.size),
        process(layout.process.size),
        heap(static_cast<std::uint64_t*>(mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    put(data, layout.scheduler_data.current_process.offset, process.data());
  }
  ~FakeScheduler() { munmap(heap, heap_bytes); }
  FakeScheduler(const FakeScheduler&) = delete;

  template <class T>
  static void put(std::vector<std::byte>& object, std::uint32_t offset, T value) {
    static_assert(sizeof value == 8);
    std::memcpy(object.data() + offset, &value, sizeof value);
  }
  void bounds(os::Address begin, os::Address stop, os::Address end) {
    put(process, at.process.heap.offset, begin);
    put(process, at.process.stop.offset, stop);
    put(process, at.process.hend.offset, end);
  }
  os::Address word(std::size_t k) const { return reinterpret_cast<os::Address>(heap + k); }
  void fill() {
    for (std::size_t k = 0; k < heap_words; ++k) heap[k] = 0xe0000 + k;
  }
  watched_thread place(thread_role role) const {
    return {.scheduler_data = reinterpret_cast<os::Address>(data.data()),
            .sleep_flags = reinterpret_cast<os::Address>(&sleep_flags),
            .role = static_cast<unsigned>(role)};
  }

  static constexpr std::size_t heap_bytes = 32 * 4096, heap_words = heap_bytes / 8;
  const beam::Layout& at;
  std::vector<std::byte> data, process;
  std::uint64_t* heap;
  std::uint32_t sleep_flags = 5;
};

TEST_F(EbpfReadsTest, under_c_code_it_takes_process_c_stack_and_erlang_stack) {
  FakeScheduler scheduler(layout_);
  scheduler.fill();
  // `stop` in the last page but two, so that the bottom is within reach; rbp points 512 words below
  // that page: C code was entered without storing it.
  const std::size_t last = scheduler.heap_words, page = last - 3 * 512;
  scheduler.bounds(scheduler.word(0), scheduler.word(page + 100), scheduler.word(last));
  MarkedThread::Marks with_stack = marks;
  with_stack[5] = scheduler.word(page - 256);
  const MarkedThread thread(with_stack);
  watched_thread place = scheduler.place(role_normal);
  place.stack_low = thread.rsp() - 4096;
  place.runtime_stack = thread.rsp() + 16;
  place.stack_high = thread.rsp() + 4096;
  const auto sampled = sample(thread, 1, place);
  for (const auto& record : some(5)) {
    EXPECT_EQ(record.head.flags & ~unsigned{sample_in_kernel},
              unsigned{sample_scheduler | sample_process | sample_jit_return});
    EXPECT_EQ(record.head.sleep_flags, 5u);
    EXPECT_EQ(record.head.current_process, address(scheduler.process.data()));
    EXPECT_EQ(record.process, scheduler.process);
    EXPECT_THAT(record.native, ElementsAre(marks[1], marks[0]));
    EXPECT_EQ(record.head.jit_return, marks[0]) << "the word below the runtime stack";
    EXPECT_EQ(record.head.guessed_begin, scheduler.word(page - 256));
    EXPECT_THAT(record.guessed, ElementsAreArray(scheduler.heap + page - 256, 256));
    EXPECT_EQ(record.head.top_begin, scheduler.word(page));
    EXPECT_THAT(record.top, ElementsAreArray(scheduler.heap + page, 1024));
    EXPECT_EQ(record.head.bottom_begin, scheduler.word(page + 1024));
    EXPECT_THAT(record.bottom, ElementsAreArray(scheduler.heap + page + 1024, 512));
  }
}

TEST_F(EbpfReadsTest, of_a_deep_stack_it_takes_both_ends_within_its_bounds) {
  FakeScheduler scheduler(layout_);
  scheduler.fill();
  scheduler.bounds(scheduler.word(0), scheduler.word(1024), scheduler.word(scheduler.heap_words));
  const MarkedThread thread(marks);
  watched_thread place = scheduler.place(role_dirty);
  place.stack_low = thread.rsp();
  place.stack_high = thread.rsp() + 16;
  const auto sampled = sample(thread, 1, place);
  for (const auto& record : some(5)) {
    EXPECT_THAT(record.native, ElementsAre(marks[1], marks[0]));
    EXPECT_EQ(record.head.flags & sample_jit_return, 0u) << "dirty schedulers run no JIT code";
    EXPECT_THAT(record.top, ElementsAreArray(scheduler.heap + 1024, most_top_bytes / 8));
    EXPECT_THAT(record.bottom,
                ElementsAreArray(scheduler.heap + scheduler.heap_words - 1024, 1024));
    EXPECT_TRUE(record.guessed.empty());
  }
}

TEST_F(EbpfReadsTest, in_jit_code_the_erlang_stack_is_at_rsp) {
  FakeScheduler scheduler(layout_);
  const MarkedThread thread(marks);
  scheduler.bounds(thread.rsp() - 64, thread.rsp() + 8, thread.rsp() + 16);
  const auto sampled = sample(thread, 1, scheduler.place(role_normal));
  for (const auto& record : some(5)) {
    EXPECT_TRUE(record.native.empty());
    EXPECT_EQ(record.head.top_begin, thread.rsp());
    EXPECT_THAT(record.top, ElementsAre(marks[1], marks[0]));
  }
}

TEST_F(EbpfReadsTest, outside_of_the_heap_block_it_takes_a_bounded_piece) {
  FakeScheduler scheduler(layout_);
  scheduler.fill();
  scheduler.bounds(0x1000, scheduler.word(0), 0x2000);  // as in a garbage collection
  const MarkedThread thread(marks);
  watched_thread place = scheduler.place(role_dirty);
  place.stack_low = thread.rsp();
  place.stack_high = thread.rsp() + 16;
  const auto sampled = sample(thread, 1, place);
  for (const auto& record : some(5)) {
    EXPECT_THAT(record.top, ElementsAreArray(scheduler.heap, unbounded_bytes / 8));
    EXPECT_TRUE(record.bottom.empty());
  }
}

TEST_F(EbpfReadsTest, what_is_not_resident_is_left_out_and_said_so) {
  FakeScheduler scheduler(layout_);  // its heap was never touched
  scheduler.bounds(scheduler.word(0), scheduler.word(1024), scheduler.word(scheduler.heap_words));
  const MarkedThread thread(marks);
  watched_thread place = scheduler.place(role_dirty);
  place.stack_low = thread.rsp();
  place.stack_high = thread.rsp() + 16;
  {
    const auto sampled = sample(thread, 1, place);
    for (const auto& record : some(5)) {
      EXPECT_NE(record.head.flags & sample_stack_unread, 0u);
      EXPECT_NE(record.head.flags & sample_process, 0u);
      EXPECT_TRUE(record.top.empty());
    }
  }
  drained();
  place.scheduler_data = 8;  // neither is that
  const auto sampled = sample(thread, 2, place);
  for (const auto& record : some(5)) {
    EXPECT_EQ(record.head.flags & (sample_scheduler | sample_process), 0u);
    EXPECT_EQ(record.head.current_process, 0u);
  }
}

// The loop of a marked thread stands for process_main, and its r13 for the stack pointer.
class InterpreterReadsTest : public EbpfReadsTest {
 protected:
  InterpreterReadsTest() {
    scheduler_.fill();
    scheduler_.bounds(scheduler_.word(0), scheduler_.word(10), scheduler_.word(512));
    MarkedThread::Marks with_stack = marks;
    with_stack[1] = scheduler_.word(500);
    thread_.emplace(with_stack);
    runtime_stack_ = thread_->rsp();
    loop_ = {thread_->loop(), {}};
    interpreter_ = &loop_;
  }
  std::vector<tests::Record> records() {
    watched_thread place = scheduler_.place(role_interpreter);
    place.stack_low = thread_->rsp() - 4096;
    place.runtime_stack = runtime_stack_;
    const auto sampled = sample(*thread_, 1, place);
    return some(5);
  }

  FakeScheduler scheduler_{layout_};
  std::optional<MarkedThread> thread_;
  beam::Interpreter loop_;
  os::Address runtime_stack_ = 0;
};

TEST_F(InterpreterReadsTest, the_stack_is_at_its_register) {
  for (const auto& record : records()) {
    EXPECT_EQ(record.head.top_begin, scheduler_.word(500)) << "not at Process.stop";
    EXPECT_THAT(record.top, ElementsAreArray(scheduler_.heap + 500, 12));
    EXPECT_TRUE(record.native.empty()) << "nothing is below the interpreter's frame";
    EXPECT_TRUE(record.guessed.empty());
  }
}

TEST_F(InterpreterReadsTest, a_register_outside_of_the_heap_is_stale) {
  scheduler_.bounds(scheduler_.word(0), scheduler_.word(490), scheduler_.word(495));
  for (const auto& record : records()) EXPECT_EQ(record.top.back(), scheduler_.heap[494]);
}

TEST_F(InterpreterReadsTest, until_its_frame_is_known_the_c_stack_is_copied_further) {
  runtime_stack_ = 0;
  for (const auto& record : records()) {
    ASSERT_GE(record.native.size(), 2U);
    EXPECT_EQ(record.native[1], marks[0]);
    EXPECT_EQ(record.head.top_begin, scheduler_.word(500));
  }
}

// The same with the stack pointer in a word of the frame: it is at rsp too.
class FrameReadsTest : public InterpreterReadsTest {
 protected:
  FrameReadsTest() { loop_.places.stack = {os::UserRegisters::rsp, 0}; }
};

TEST_F(FrameReadsTest, the_stack_is_copied_from_below_what_the_frame_has) {
  for (const auto& record : records()) {
    EXPECT_EQ(record.head.top_begin, scheduler_.word(500 - moved_bytes / 8));
    EXPECT_EQ(record.top.size(), 12 + moved_bytes / 8);
    EXPECT_EQ(record.top.back(), scheduler_.heap[511]);
  }
}

TEST_F(FrameReadsTest, not_beyond_the_page) {
  scheduler_.bounds(scheduler_.word(0), scheduler_.word(10), scheduler_.word(512 + 512));
  // Not by a store, which ThreadSanitizer takes for a race with the thread whose stack this is.
  os::Address word = scheduler_.word(512 + 1);
  const iovec from{&word, sizeof word};
  const iovec to{reinterpret_cast<void*>(thread_->rsp()), sizeof word};
  ASSERT_EQ(process_vm_writev(getpid(), &from, 1, &to, 1, 0), sizeof word);
  for (const auto& record : records()) EXPECT_EQ(record.head.top_begin, scheduler_.word(512));
}

}  // namespace
}  // namespace beam_exporter::sampling
