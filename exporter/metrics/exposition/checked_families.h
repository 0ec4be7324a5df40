#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <vector>

#include "metrics/families/catalogue.h"
#include "os/result.h"

namespace beam_exporter::metrics {

struct CheckedFamily {
  const FamilySpec* spec = nullptr;
  const prometheus::MetricFamily* family = nullptr;  // owned by the caller
};

// The families that both writers write: each is in the catalogue, has its type and labels, and
// appears once; in the order of the catalogue. Anything else is a mistake of the exporter itself
// and an Error (malformed) that names the family: a page that looks whole and is not is worse than
// no page.
os::Result<std::vector<CheckedFamily>> checked(std::span<const prometheus::MetricFamily> families);

}  // namespace beam_exporter::metrics
