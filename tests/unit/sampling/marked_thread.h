#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "os/address.h"

namespace beam_exporter::tests {

// A thread of ours that runs with values of our choice in its registers and on its stack, in a loop
// that never leaves user space, or in one that does little else than system calls.
class MarkedThread {
 public:
  // In r12, r13, r14, r15, rbx, rbp; r13 and r12 are also the words at its rsp.
  using Marks = std::array<std::uint64_t, 6>;
  enum class Work { spin, system_calls };

  explicit MarkedThread(const Marks& marks, Work work = Work::spin);  // returns when it is in there
  ~MarkedThread();
  MarkedThread(const MarkedThread&) = delete;

  pid_t tid() const { return tid_; }
  os::Address rsp() const { return report_.rsp; }
  os::AddressRange loop() const;  // rip is in there, also while it is in a system call

 private:
  struct Report {  // the asm knows this layout
    std::uint64_t rsp = 0;
    std::atomic<std::uint8_t> entered{0}, stop{0};
  };
  Work work_;
  Report report_;
  std::atomic<pid_t> tid_{0};
  std::thread thread_;
};

}  // namespace beam_exporter::tests
