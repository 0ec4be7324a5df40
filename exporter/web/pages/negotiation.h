#pragma once

#include <string>
#include <string_view>

#include "metrics/exposition/exposition.h"

// Which of our formats the client wants: RFC 9110 section 12 and Prometheus' content negotiation
// (docs/instrumenting/content_negotiation.md). Pure. A header that makes no sense is ignored.
namespace beam_exporter::web {

struct Negotiated {
  metrics::Format format = metrics::Format::text_0_0_4;
  std::string_view content_type;
};

// `accept`: the Accept headers as one list. When no format of ours is accepted, the answer is text
// 0.0.4: a client that may be able to read it is better served than by a 406.
Negotiated negotiate_format(std::string_view accept);

// `accept_encoding`: the Accept-Encoding headers as one list.
bool wants_gzip(std::string_view accept_encoding);

}  // namespace beam_exporter::web
