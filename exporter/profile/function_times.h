#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace beam_exporter::profile {

// One function of a profile, in samples.
struct FunctionTime {
  Function function;
  std::uint64_t self = 0;       // on top of the Erlang stack, with the C code that it calls
  std::uint64_t inclusive = 0;  // anywhere on the stack, once for each sample
  std::string state;            // of most of `self`; "" without self
};

struct TimesOf {
  std::function<bool(const Labels&)> wanted;  // which samples; all when empty
  // BIFs, NIFs and the kernel are left out as C functions are: their time counts for the Erlang
  // function below.
  bool only_erlang = false;
};

// Every Erlang function, BIF, NIF, pseudo function and function of the kernel, sorted by self time,
// the largest first. C functions have no line of their own: their time counts for the Erlang
// function, BIF or NIF that called them.
std::vector<FunctionTime> function_times(const Profile& profile, const TimesOf& of = {});

}  // namespace beam_exporter::profile
