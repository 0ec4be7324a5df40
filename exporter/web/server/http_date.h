#pragma once

#include <ctime>
#include <string>

namespace beam_exporter::web {

// The time as HTTP writes it in its Date header, in any locale: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::time_t time);

}  // namespace beam_exporter::web
