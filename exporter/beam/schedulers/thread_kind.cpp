#include "beam/schedulers/thread_kind.h"

#include <charconv>

namespace beam_exporter::beam {

namespace {

struct Prefixed {
  std::string_view prefix;
  ThreadKind kind;
};
constexpr std::array<Prefixed, 7> number_last = {{{"erts_sched_", ThreadKind::normal},
                                                  {"erts_dcpus_", ThreadKind::dirty_cpu},
                                                  {"erts_dios_", ThreadKind::dirty_io},
                                                  {"erts_aux_", ThreadKind::aux},
                                                  {"erts_poll_", ThreadKind::poll},
                                                  {"erts_async_", ThreadKind::async},
                                                  {"async_", ThreadKind::async}}};
constexpr std::array<Prefixed, 5> number_first = {{{"_scheduler", ThreadKind::normal},
                                                   {"_dirty_cpu_scheduler", ThreadKind::dirty_cpu},
                                                   {"_dirty_io_scheduler", ThreadKind::dirty_io},
                                                   {"_aux", ThreadKind::aux},
                                                   {"_poller", ThreadKind::poll}}};

}  // namespace

std::optional<ThreadRole> thread_role(std::string_view name) {
  ThreadRole role;
  for (const auto& [prefix, kind] : number_last) {
    if (!name.starts_with(prefix)) continue;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + prefix.size(), end, role.number);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    role.kind = kind;
    return role;
  }
  if (name == "aux") return ThreadRole{ThreadKind::aux, 1};
  const auto digits = std::from_chars(name.data(), name.data() + name.size(), role.number);
  if (digits.ec != std::errc()) return std::nullopt;
  const std::string_view rest(digits.ptr,
                              static_cast<std::size_t>(name.data() + name.size() - digits.ptr));
  // The kernel may have cut the name: the first two letters after '_' are enough to tell all kinds
  // apart.
  if (rest.size() < 3) return std::nullopt;
  for (const auto& [full, kind] : number_first) {
    if (!full.starts_with(rest)) continue;
    role.kind = kind;
    return role;
  }
  return std::nullopt;
}

}  // namespace beam_exporter::beam
