#pragma once

#include <string>

namespace beam_exporter::metrics {

// The shortest text that reads back as the same double. NaN, +Inf and -Inf are written as both
// formats spell them. Whole numbers stay whole: 1048576, not 1.048576e+06.
void append_value(double value, std::string& out);

// A bucket bound in the canonical form of OpenMetrics 1.0 ("1.0", "0.001", "1e+06", "+Inf"). It is
// a label value, so both formats write it the same way; otherwise a series would change its name
// with the format.
void append_bound(double bound, std::string& out);

}  // namespace beam_exporter::metrics
