#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace beam_exporter::totals {

// Observations by size; `bucket_counts` is not cumulative over buckets and has one more entry
// (+Inf) than `bounds`, or none while there is no such histogram.
struct Histogram {
  std::vector<double> bounds;
  std::vector<std::uint64_t> bucket_counts;
  double sum = 0;
};

inline Histogram empty_histogram(std::vector<double> bounds) {
  Histogram histogram{.bounds = std::move(bounds)};
  histogram.bucket_counts.assign(histogram.bounds.size() + 1, 0);
  return histogram;
}

// A bucket holds what is at most its bound.
inline void add_observation(Histogram& histogram, double value) {
  const auto bucket = std::ranges::lower_bound(histogram.bounds, value) - histogram.bounds.begin();
  ++histogram.bucket_counts[static_cast<std::size_t>(bucket)];
  histogram.sum += value;
}

}  // namespace beam_exporter::totals
