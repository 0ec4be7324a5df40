#pragma once

#include <string>

namespace beam_exporter::text {

// "12.3 KiB", "1.0 MiB", "-2.5 GiB": bytes for people. Pure.
std::string bytes_text(double bytes);

}  // namespace beam_exporter::text
