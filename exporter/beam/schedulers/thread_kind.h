#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace beam_exporter::beam {

// The purpose of a thread of the VM. The names are values of the label `kind`.
enum class ThreadKind { normal, dirty_cpu, dirty_io, aux, poll, async };

inline constexpr std::array<std::string_view, 6> thread_kind_names = {
    "normal", "dirty_cpu", "dirty_io", "aux", "poll", "async"};

constexpr std::string_view name_of(ThreadKind kind) {
  return thread_kind_names[static_cast<std::size_t>(kind)];
}

struct ThreadRole {
  ThreadKind kind = ThreadKind::normal;
  unsigned number = 0;  // as in the thread's name; schedulers count from 1
  friend auto operator<=>(const ThreadRole&, const ThreadRole&) = default;
};

// Reads the role from the thread's name, which the kernel cuts to 15 characters: "1_scheduler",
// "12_dirty_io_sch" up to OTP 25 ("aux" in 23), "erts_dios_12" in later releases
// (erts_start_schedulers in erl_process.c and erts_init_async in erl_async.c, OTP 25, 26 and 27).
// nullopt for signal handlers and all other threads.
std::optional<ThreadRole> thread_role(std::string_view name);

}  // namespace beam_exporter::beam
