#pragma once

#include <prometheus/metric_family.h>

#include <span>
#include <vector>

#include "metrics/families/catalogue.h"
#include "os/result.h"

namespace beam_exporter::metrics {

struct CheckedFamily {
  const FamilySpec* spec = nullptr;
  const prometheus::MetricFamily* family = nullptr;  // the caller's
};

// What both writers write: each family in the catalogue, of its type, with its labels, and there
// once; in the order of the catalogue. Anything else is our own mistake and an Error (malformed)
// that names the family: half a scrape that looks whole is worse than none.
os::Result<std::vector<CheckedFamily>> checked(std::span<const prometheus::MetricFamily> families);

}  // namespace beam_exporter::metrics
