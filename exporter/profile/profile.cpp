#include "profile/profile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace beam_exporter::profile {

std::string Function::text() const {
  if (kind == FunctionKind::other) return "[" + name + "]";
  if (kind == FunctionKind::kernel) return name + std::string(kernel_mark);
  if (module.empty()) return name;
  return module + (elixir ? "." : ":") + name;
}

std::uint64_t Profile::samples() const {
  return std::accumulate(entries.begin(), entries.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Entry& entry) { return sum + entry.samples; });
}

std::chrono::nanoseconds Profile::cpu_time() const {
  return std::accumulate(
      entries.begin(), entries.end(), std::chrono::nanoseconds{},
      [](std::chrono::nanoseconds sum, const Entry& entry) { return sum + entry.cpu_time; });
}

// The Wilson interval's half width (E. B. Wilson, 1927), which also holds near 0 and 1.
double share_error(std::uint64_t part, std::uint64_t samples) {
  if (samples == 0) return 1;
  constexpr double z = 1.96;
  const auto n = static_cast<double>(samples);
  const double p = static_cast<double>(std::min(part, samples)) / n;
  return z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
}

}  // namespace beam_exporter::profile
