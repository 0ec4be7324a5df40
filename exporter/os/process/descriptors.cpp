#include "os/process/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "os/process/process_stat.h"

namespace beam_exporter::os {

namespace {

std::uint64_t reserve_of(std::uint64_t limit) { return std::min(reserved_descriptors, limit / 2); }

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::uint64_t descriptors_left() {
  const std::uint64_t limit = descriptor_limit();
  const auto self = read_process_stat("/proc/self");
  // If the open files cannot be counted, assume that none is left.
  const std::uint64_t taken = reserve_of(limit) + (self ? self->open_fds.value_or(limit) : limit);
  return limit > taken ? limit - taken : 0;
}

Status leaves_reserve(const UniqueFd& fd) {
  const std::uint64_t limit = descriptor_limit();
  const std::uint64_t reserve = reserve_of(limit);
  if (static_cast<std::uint64_t>(fd.get()) < limit - reserve) return Done{};
  return Error{ErrorKind::system, "all but " + std::to_string(reserve) + " of the " +
                                      std::to_string(limit) +
                                      " files that the exporter may open are open: raise its limit "
                                      "(ulimit -Hn, LimitNOFILE=, --ulimit nofile=)"};
}

}  // namespace beam_exporter::os
