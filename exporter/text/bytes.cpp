#include "text/bytes.h"

#include <cmath>

#include "text/printed.h"

namespace beam_exporter::text {

std::string bytes_text(double bytes) {
  const double kib = 1024, mib = kib * 1024, gib = mib * 1024;
  if (std::abs(bytes) >= gib) return printed("%.1f GiB", bytes / gib);
  if (std::abs(bytes) >= mib) return printed("%.1f MiB", bytes / mib);
  return printed("%.1f KiB", bytes / kib);
}

}  // namespace beam_exporter::text
