#pragma once

#include <prometheus/metric_family.h>

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "metrics/families/catalogue.h"
#include "totals/snapshot.h"

namespace beam_exporter::metrics {

using Families = std::vector<prometheus::MetricFamily>;

// Makes one family of the catalogue: type, help and label names come from there, values by
// position. A name or a number of labels the catalogue does not know yields a family that the
// writers refuse. Called by the *_metrics functions; one thread at a time.
class FamilyBuilder {
 public:
  explicit FamilyBuilder(std::string_view name);

  FamilyBuilder& add(std::initializer_list<std::string_view> labels, double value);
  // Absent is not zero: nullopt adds nothing.
  FamilyBuilder& add(std::initializer_list<std::string_view> labels, std::optional<double> value);
  FamilyBuilder& add(std::initializer_list<std::string_view> labels,
                     const totals::Histogram& histogram);

  // The last call. A family without samples is not served at all.
  void append_to(Families& families);

 private:
  prometheus::ClientMetric& new_metric(std::initializer_list<std::string_view> labels);

  const FamilySpec* spec_;
  prometheus::MetricFamily family_;
};

}  // namespace beam_exporter::metrics
