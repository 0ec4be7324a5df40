#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace beam_exporter::beam {

// What a thread of the VM is for; the names are the `kind` label.
enum class ThreadKind { normal, dirty_cpu, dirty_io, aux, poll, async };

inline constexpr std::array<std::string_view, 6> thread_kind_names = {
    "normal", "dirty_cpu", "dirty_io", "aux", "poll", "async"};

constexpr std::string_view name_of(ThreadKind kind) {
  return thread_kind_names[static_cast<std::size_t>(kind)];
}

struct ThreadRole {
  ThreadKind kind = ThreadKind::normal;
  unsigned number = 0;  // as in the thread's name: schedulers count from 1
  friend auto operator<=>(const ThreadRole&, const ThreadRole&) = default;
};

// From the thread's name, which the kernel cuts to 15 characters: "1_scheduler", "12_dirty_io_sch"
// up to OTP 25, "erts_dios_12" since (ethr_thr_create callers in erl_process.c, erl_async.c).
// nullopt for signal handlers and whatever else lives in the VM.
std::optional<ThreadRole> thread_role(std::string_view name);

}  // namespace beam_exporter::beam
