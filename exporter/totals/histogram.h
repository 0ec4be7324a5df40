#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace beam_exporter::totals {

// Observations by size. `bucket_counts` is not cumulative and has one entry more (+Inf) than
// `bounds`. It is empty when there is no histogram at all.
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

// A bucket counts the values that are not larger than its bound.
inline void add_observation(Histogram& histogram, double value) {
  const auto bucket = std::ranges::lower_bound(histogram.bounds, value) - histogram.bounds.begin();
  ++histogram.bucket_counts[static_cast<std::size_t>(bucket)];
  histogram.sum += value;
}

}  // namespace beam_exporter::totals
