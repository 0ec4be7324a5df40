#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "os/perf/user_registers.h"
#include "os/result.h"

namespace beam_exporter::os {

// The user registers every sampling event asks for (asm/perf_regs.h): the 16 general ones and rip.
inline constexpr std::uint64_t sampled_register_mask = 0xff01ffULL;

// One sample as the kernel wrote it; `stack` is valid only during the call that hands it out.
struct PerfSample {
  pid_t tid = 0;
  std::chrono::nanoseconds time{};  // CLOCK_MONOTONIC
  bool has_registers = false;       // false: the thread had no user state (exiting)
  UserRegisters registers;
  std::span<const std::byte> stack;  // from rsp upwards; shorter than asked where memory ended
};

// Decodes the body of a PERF_RECORD_SAMPLE of our events; false when it is malformed.
bool decode_sample(std::span<const std::byte> body, PerfSample& out);

// The memory shared with the kernel for one event. Move-only; one thread drains it.
class PerfRing {
 public:
  // `data_pages` is a power of two. Errors: not_permitted when the locked-memory allowance is used
  // up.
  static Result<PerfRing> map(int event_fd, std::size_t data_pages);

  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&& other) noexcept;
  ~PerfRing();

  // Hands out everything there is, oldest first; returns how many records the kernel had to drop.
  std::uint64_t drain(const std::function<void(const PerfSample&)>& visit);

 private:
  PerfRing(void* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  std::span<const std::byte> record_at(std::uint64_t position, std::size_t bytes);

  void* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::byte> unwrapped_;  // a record that crosses the end of the ring, in one piece
};

}  // namespace beam_exporter::os
