#pragma once

#include <prometheus/metric_family.h>

#include <limits>

#include "metrics/exposition/checked_families.h"

namespace beam_exporter::metrics {

// A gaugehistogram as both writers see it.
struct GaugeHistogram {
  FamilySpec spec = {
      "beam_example_bytes", FamilyType::gaugehistogram, "bytes", {"allocator"}, "Sizes of things."};
  prometheus::MetricFamily family;

  GaugeHistogram() {
    family.name = spec.name;
    family.type = prometheus::MetricType::Histogram;
    for (const char* allocator : {"binary", "eheap"}) {
      auto& metric = family.metric.emplace_back();
      metric.label = {{"allocator", allocator}};
      metric.histogram.bucket = {{1, 1024}, {3, std::numeric_limits<double>::infinity()}};
      metric.histogram.sample_count = 3;
      metric.histogram.sample_sum = 5000;
    }
  }
  CheckedFamily checked() const { return {&spec, &family}; }
};

}  // namespace beam_exporter::metrics
