#pragma once

#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// ERTS_PSFLG_*: bits of Process.state (erl_process.h, OTP 25 and 27).
namespace process_flags {
inline constexpr std::uint32_t free = 1u << 10, exiting = 1u << 11;
inline constexpr std::uint32_t suspended = 1u << 16, gc = 1u << 17;
inline constexpr std::uint32_t running = 1u << 15, running_sys = 1u << 21, dirty_running = 1u << 29,
                               dirty_running_sys = 1u << 30;
inline constexpr std::uint32_t active = 1u << 13, active_sys = 1u << 20,
                               dirty_active_sys = 1u << 28;
inline constexpr std::uint32_t any_running =
    running | running_sys | dirty_running | dirty_running_sys;
inline constexpr std::uint32_t any_active = active | active_sys | dirty_active_sys;
}  // namespace process_flags

// The fields of the process struct (struct process, erl_process.h, OTP 25 and 27) that a sample
// needs, from one read.
struct ProcessFields {
  os::Address address = 0;
  Eterm id = 0;
  os::Address htop = 0, stop = 0, heap = 0, hend = 0;
  os::Address frame_pointer = 0;  // 0 where the VM keeps none
  os::Address i = 0;              // the instruction where it continues when it is scheduled in
  os::Address current = 0;        // const ErtsCodeMFA* of the BIF or NIF that it runs; may be stale
  Mfa initial;
  std::uint32_t state = 0;             // of process_flags
  os::Address dirty_tasks = 0;         // system tasks for it on a dirty scheduler; 0: none
  std::optional<std::int64_t> fcalls;  // reductions left when it last called C code

  // A scheduler of any kind runs it, or did so when the struct was read.
  bool running() const { return (state & process_flags::any_running) != 0; }
  // The heap block holds the stack too, which grows down from hend. htop is not a bound: it may be
  // stale while the process runs.
  bool holds(os::Address stack_pointer) const {
    return stack_pointer >= heap && stack_pointer <= hend && stack_pointer % 8 == 0;
  }
};

// The fields, from the bytes of a process struct that was at `address`. nullopt as in
// read_process().
std::optional<ProcessFields> process_from(const Layout& layout, os::Address address,
                                          std::span<const std::byte> bytes);

// nullopt when the struct cannot be read, or is not that of a live process: common.id is not a pid,
// or the heap pointers are not in order.
std::optional<ProcessFields> read_process(const Layout& layout, const os::Memory& memory,
                                          os::Address process);

}  // namespace beam_exporter::beam
