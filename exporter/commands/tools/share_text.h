#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "profile/profile.h"

// How the tools say shares and times. Pure.
namespace beam_exporter::commands {

double seconds(std::chrono::nanoseconds time);
double share(std::uint64_t part, std::uint64_t whole);  // 0 of nothing

std::string seconds_text(std::chrono::nanoseconds time);            // "9.8 s"
std::string percent_text(std::uint64_t part, std::uint64_t whole);  // " 12.34 %"
std::string error_text(std::uint64_t part, std::uint64_t whole);    // " 0.65": in points
// "OTP 27 (...), pid 42: 2410 samples in 10.0 s, 24.3 s of CPU time, none lost; ..."
std::string summary(const profile::Profile& profile);

}  // namespace beam_exporter::commands
