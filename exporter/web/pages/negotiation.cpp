#include "web/pages/negotiation.h"

#include <array>
#include <cstddef>
#include <vector>

#include "web/pages/quality_list.h"

namespace beam_exporter::web {
namespace {

struct Offer {
  std::string_view type;
  std::string_view version;
  Negotiated answer;
};

// In the order of our own preference, which decides only when the client accepts several equally.
// Text comes before OpenMetrics: a client that sends */* reads everything, or is a person with
// curl. OpenMetrics 0.0.1 is the draft that Prometheus asks for beside 1.0.0; our text is the same
// in both.
constexpr std::array<Offer, 3> offers = {{
    {"text/plain",
     "0.0.4",
     {metrics::Format::text_0_0_4, "text/plain; version=0.0.4; charset=utf-8"}},
    {"application/openmetrics-text",
     "1.0.0",
     {metrics::Format::open_metrics_1_0_0,
      "application/openmetrics-text; version=1.0.0; charset=utf-8"}},
    {"application/openmetrics-text",
     "0.0.1",
     {metrics::Format::open_metrics_1_0_0,
      "application/openmetrics-text; version=0.0.1; charset=utf-8"}},
}};

// How exactly a range names an offer: 0 not at all, 1 any type, 2 any subtype, 3 the type, 4 the
// type with its version.
int exactness(const QualityItem& range, const Offer& offer) {
  const auto* version = range.parameter("version");
  if (version && *version != offer.version) return 0;
  if (range.value == "*/*") return 1;
  if (range.value.ends_with("/*")) {
    const std::string_view major = std::string_view(range.value).substr(0, range.value.size() - 1);
    return offer.type.starts_with(major) ? 2 : 0;
  }
  if (range.value != offer.type) return 0;
  return version ? 4 : 3;
}

// The range that decides about an offer: the most exact one, and its place in the header.
struct Verdict {
  double quality = 0;
  std::size_t place = 0;
};

Verdict verdict_on(const Offer& offer, const std::vector<QualityItem>& ranges) {
  Verdict verdict;
  int exactest = 0;
  for (std::size_t place = 0; place < ranges.size(); ++place) {
    const int exact = exactness(ranges[place], offer);
    if (exact <= exactest) continue;
    exactest = exact;
    verdict = {ranges[place].quality, place};
  }
  return verdict;
}

}  // namespace

Negotiated negotiate_format(std::string_view accept) {
  const auto ranges = parse_quality_list(accept);
  Negotiated best = offers.front().answer;
  Verdict best_verdict;
  for (const auto& offer : offers) {
    const auto verdict = verdict_on(offer, ranges);
    const bool better = verdict.quality > best_verdict.quality ||
                        (verdict.quality == best_verdict.quality && verdict.quality > 0 &&
                         verdict.place < best_verdict.place);
    if (!better) continue;
    best = offer.answer;
    best_verdict = verdict;
  }
  return best;
}

bool wants_gzip(std::string_view accept_encoding) {
  const auto codings = parse_quality_list(accept_encoding);
  double any = 0;
  const double unsaid = -1;
  double gzip = unsaid;
  double identity = unsaid;
  for (const auto& coding : codings) {
    if (coding.value == "gzip" || coding.value == "x-gzip") gzip = coding.quality;
    if (coding.value == "identity") identity = coding.quality;
    if (coding.value == "*") any = coding.quality;
  }
  if (gzip == unsaid) gzip = any;
  // A client that does not mention identity accepts it but prefers what it mentions.
  return gzip > 0 && gzip >= identity;
}

}  // namespace beam_exporter::web
