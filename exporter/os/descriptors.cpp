#include "os/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

namespace beam_exporter::os {

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

Status leaves_reserve(const UniqueFd& fd) {
  const std::uint64_t limit = descriptor_limit();
  const std::uint64_t reserve = std::min(reserved_descriptors, limit / 2);
  if (static_cast<std::uint64_t>(fd.get()) < limit - reserve) return Done{};
  return Error{ErrorKind::system, "all but " + std::to_string(reserve) + " of the " +
                                      std::to_string(limit) +
                                      " files that the exporter may open are open: raise its limit "
                                      "(ulimit -Hn, LimitNOFILE=, --ulimit nofile=)"};
}

}  // namespace beam_exporter::os
