#pragma once

#include <ctime>
#include <string>

namespace beam_exporter::web {

// As HTTP spells it in its Date header, whatever the locale: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::time_t time);

}  // namespace beam_exporter::web
