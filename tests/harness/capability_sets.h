#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace beam_exporter::tests {

constexpr std::uint64_t bit(unsigned capability) { return std::uint64_t{1} << capability; }

// The capabilities of the calling thread, read from the kernel without the library under test.
struct CapabilitySets {
  std::uint64_t effective = 0, permitted = 0, inheritable = 0;
};

inline CapabilitySets held_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  syscall(SYS_capget, &header, data);
  const auto join = [](std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  };
  return {join(data[0].effective, data[1].effective), join(data[0].permitted, data[1].permitted),
          join(data[0].inheritable, data[1].inheritable)};
}

// False when the kernel refuses.
inline bool hold_capabilities(std::uint64_t effective, std::uint64_t permitted) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const auto low = [](std::uint64_t set) { return static_cast<std::uint32_t>(set); };
  const auto high = [](std::uint64_t set) { return static_cast<std::uint32_t>(set >> 32); };
  const __user_cap_data_struct data[2] = {{low(effective), low(permitted), 0},
                                          {high(effective), high(permitted), 0}};
  return syscall(SYS_capset, &header, data) == 0;
}

}  // namespace beam_exporter::tests
