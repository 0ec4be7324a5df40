#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "os/address.h"
#include "os/perf/perf_event.h"
#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::os {

// The user registers in each sample (asm/perf_regs.h): the 16 general ones and rip.
inline constexpr std::uint64_t sampled_register_mask = 0xff01ffULL;

// One sample as the kernel wrote it. `stack` is valid only until the callback of drain() returns.
struct PerfSample {
  pid_t tid = 0;
  std::chrono::nanoseconds time{};  // CLOCK_MONOTONIC
  // How long the thread was on a CPU since its event was enabled, interrupts included.
  std::chrono::nanoseconds run_time{};
  bool has_registers = false;  // false: the thread had no user state (exiting)
  UserRegisters registers;
  bool only_place = false;           // of the registers, only rip and rsp are known
  std::span<const std::byte> stack;  // from rsp upwards; shorter where memory ends
  // Addresses in functions of the kernel, the innermost first; empty in user code, and where
  // kernel stacks are left out.
  std::vector<Address> kernel;
};

// Decodes the body of a PERF_RECORD_SAMPLE of our events; false when it is malformed.
bool decode_sample(std::span<const std::byte> body, KernelStacks kernel, PerfSample& out);

// The memory shared with the kernel for one event. Move-only; one thread drains it.
class PerfRing {
 public:
  // `data_pages` is a power of two, `kernel` as for open_sampling_event(). Error: not_permitted
  // when we may not lock more memory.
  static Result<PerfRing> map(int event_fd, std::size_t data_pages,
                              KernelStacks kernel = KernelStacks::left_out);

  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&& other) noexcept;
  ~PerfRing();

  // Calls `visit` for each sample in the ring, oldest first. Returns how many records the kernel
  // has dropped.
  std::uint64_t drain(const std::function<void(const PerfSample&)>& visit);

 private:
  PerfRing(void* base, std::size_t bytes, KernelStacks kernel)
      : base_(base), bytes_(bytes), kernel_(kernel) {}
  std::span<const std::byte> record_at(std::uint64_t position, std::size_t bytes);

  void* base_ = nullptr;
  std::size_t bytes_ = 0;
  KernelStacks kernel_;
  std::vector<std::byte> unwrapped_;  // a copy of a record that crosses the end of the ring
};

}  // namespace beam_exporter::os
