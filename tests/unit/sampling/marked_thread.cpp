#include "marked_thread.h"

#include <unistd.h>

// (rdi: marks, rsi: MarkedThread::Report)
asm(R"(
  .text
  .macro marked_begin
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov (%rdi), %r12
  mov 8(%rdi), %r13
  mov 16(%rdi), %r14
  mov 24(%rdi), %r15
  mov 32(%rdi), %rbx
  mov 40(%rdi), %rbp
  push %r12
  push %r13
  mov %rsp, (%rsi)
  movb $1, 8(%rsi)
  .endm
  .macro marked_end
  add $16, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret
  .endm

  .type marked_spin, @function
marked_spin:
  marked_begin
marked_spin_loop:
  cmpb $0, 9(%rsi)
  je marked_spin_loop
marked_spin_end:
  marked_end

  .type marked_calls, @function
marked_calls:
  marked_begin
  mov %rsi, %r8
marked_calls_loop:
  mov $39, %eax  # getpid
  syscall
  cmpb $0, 9(%r8)
  je marked_calls_loop
marked_calls_end:
  marked_end
)");
extern "C" void marked_spin(const void* marks, void* report);
extern "C" void marked_calls(const void* marks, void* report);
extern "C" const char marked_spin_loop[], marked_spin_end[], marked_calls_loop[],
    marked_calls_end[];

namespace beam_exporter::tests {

namespace {

os::Address address(const char* label) { return reinterpret_cast<os::Address>(label); }

}  // namespace

MarkedThread::MarkedThread(const Marks& marks, Work work)
    : work_(work), thread_([this, marks] {
        tid_ = gettid();
        (work_ == Work::spin ? marked_spin : marked_calls)(marks.data(), &report_);
      }) {
  static_assert(offsetof(Report, entered) == 8 && offsetof(Report, stop) == 9);
  while (report_.entered == 0) std::this_thread::yield();
}

MarkedThread::~MarkedThread() {
  report_.stop = 1;
  thread_.join();
}

os::AddressRange MarkedThread::loop() const {
  return work_ == Work::spin
             ? os::AddressRange{address(marked_spin_loop), address(marked_spin_end)}
             : os::AddressRange{address(marked_calls_loop), address(marked_calls_end)};
}

}  // namespace beam_exporter::tests
