#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"

namespace beam_exporter::profile {

// The callers of one native function, or of a family of native functions.
struct Blame {
  std::string native;
  std::uint64_t samples = 0;
  struct Part {
    std::string text;
    std::uint64_t samples = 0;
  };
  // The most samples first. Functions on top of the Erlang stack, which for a BIF is its caller;
  // and whole stacks, the outermost function first: "shop:run/1;lists:sort/1;...".
  std::vector<Part> functions, stacks;
};

// Of the samples that the attribution counts as work of `native` (Labels::natives).
Blame blame(const Profile& profile, const std::string& native);

}  // namespace beam_exporter::profile
