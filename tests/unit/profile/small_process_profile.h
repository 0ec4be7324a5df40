#pragma once

#include "profile/process_profile.h"

namespace beam_exporter::profile {

// 1,000 workers that wait and 2 that are suspended in one place, shop's own process in a deep stack
// with a large heap, one that runs and 4 that hibernate.
inline ProcessProfile small_process_profile() {
  using enum FunctionKind;
  ProcessProfile profile;
  profile.functions = {
      {.kind = erlang, .module = "shop", .name = "loop/1", .file = "shop.erl"},
      {.kind = erlang, .elixir = true, .module = "MyApp.Foo", .name = "bar/1", .file = "foo.ex"},
      {.kind = other, .name = std::string(frames_left_out)},
      {.kind = other, .name = "running"},
      {.kind = other, .name = "hibernating"}};
  profile.frames = {{0, 10}, {1, 20}, {2, 0}, {3, 0}, {4, 0}, {0, 0}};
  profile.stacks = {{0}, {1, 2, 5}, {3}, {4}};
  profile.labels = {{.state = "waiting"},
                    {.state = "suspended"},
                    {.state = "waiting", .process = "shop"},
                    {.state = "running"}};
  profile.entries = {
      {0, 0, 1000, 80000}, {0, 1, 2, 160}, {1, 2, 1, 5000000}, {2, 3, 1, 800}, {3, 0, 4, 96}};
  profile.target = "OTP 27 (erts 15.2.7, jit), pid 42";
  profile.processes = 1008;
  profile.running = 1;
  profile.without_stack = 4;
  return profile;
}

}  // namespace beam_exporter::profile
