#pragma once

#include <string>

#include "profile/profile.h"

namespace beam_exporter::profile {

// A flame graph (flame_picture.h) of what changed, in CPU time per second of the recording. The
// width of a frame is its time in `after`; red says that the function itself uses more than before
// in this stack, blue that it uses less, grey that it may be chance. Stacks that `after` has not
// are not drawn; the note says how much time they had.
std::string difference_svg(const Profile& before, const Profile& after);

}  // namespace beam_exporter::profile
