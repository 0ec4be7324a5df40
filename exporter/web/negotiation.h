#pragma once

#include <string>
#include <string_view>

#include "metrics/exposition/exposition.h"

// Which of our answers the client wants: RFC 9110 section 12 and Prometheus' content negotiation
// (docs/instrumenting/content_negotiation.md). Pure; a header that makes no sense is no wish.
namespace beam_exporter::web {

struct Negotiated {
  metrics::Format format = metrics::Format::text_0_0_4;
  std::string_view content_type;
};

// `accept`: the Accept headers as one list. What we do not know falls back to text 0.0.4: an answer
// that may be readable helps more than a 406.
Negotiated negotiate_format(std::string_view accept);

// `accept_encoding`: the Accept-Encoding headers as one list.
bool wants_gzip(std::string_view accept_encoding);

}  // namespace beam_exporter::web
