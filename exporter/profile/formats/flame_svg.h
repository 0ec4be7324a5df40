#pragma once

#include <string>

#include "profile/profile.h"

namespace beam_exporter::profile {

// The profile as a flame graph (flame_picture.h). The width of a frame is its CPU time.
std::string flame_svg(const Profile& profile);

}  // namespace beam_exporter::profile
