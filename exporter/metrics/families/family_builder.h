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

// Makes one family of the catalogue. Type, help and label names come from the catalogue; label
// values are given by position. An unknown name or a wrong number of labels makes a family that the
// writers refuse. Called by the *_metrics functions; one thread at a time.
class FamilyBuilder {
 public:
  explicit FamilyBuilder(std::string_view name);

  FamilyBuilder& add(std::initializer_list<std::string_view> labels, double value);
  // nullopt adds nothing: absent is not zero.
  FamilyBuilder& add(std::initializer_list<std::string_view> labels, std::optional<double> value);
  FamilyBuilder& add(std::initializer_list<std::string_view> labels,
                     const totals::Histogram& histogram);

  // Call it last. A family without samples is not served.
  void append_to(Families& families);

 private:
  prometheus::ClientMetric& new_metric(std::initializer_list<std::string_view> labels);

  const FamilySpec* spec_;
  prometheus::MetricFamily family_;
};

}  // namespace beam_exporter::metrics
