#pragma once

#include <vector>

#include "profile/profile.h"

namespace beam_exporter::profile {

// How much CPU time one function used before and after: CPU seconds per second of the recording, so
// that recordings of different duration can be compared. `error`: how far `after - before` may be
// off, as 95 of 100 repetitions are.
struct FunctionChange {
  Function function;
  double self_before = 0, self_after = 0;
  double inclusive_before = 0, inclusive_after = 0;
  double error = 0;  // of self
};

// Every function of function_times() of either, the largest change of self first.
std::vector<FunctionChange> difference(const Profile& before, const Profile& after);

}  // namespace beam_exporter::profile
