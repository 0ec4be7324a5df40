#pragma once

#include "profile/profile.h"

namespace beam_exporter::profile {

// Three stacks of two processes: 10 samples in lists:sort/1 called by shop:run/1, 5 of them in
// copy_struct under lists:reverse/2 (a BIF), and 4 that serve signals.
inline Profile small_profile() {
  using enum FunctionKind;
  Profile profile;
  profile.functions = {
      {.kind = erlang, .module = "shop", .name = "run/1", .file = "shop.erl"},
      {.kind = erlang, .module = "lists", .name = "sort/1", .file = "lists.erl"},
      {.kind = bif, .module = "lists", .name = "reverse/2"},
      {.kind = native, .name = "copy_struct"},
      {.kind = other, .name = "signals"},
      {.kind = erlang,
       .elixir = true,
       .module = "MyApp.Foo",
       .name = "bar/1",
       .file = "lib/foo.ex"},
  };
  profile.frames = {{0, 10}, {1, 20}, {2, 0}, {3, 0}, {4, 0}, {5, 30}, {0, 11}};
  profile.stacks = {{1, 0}, {3, 2, 6, 0, 5}, {4}};
  profile.labels = {{"normal", 1, "emulator", "shop"}, {"normal", 2, "bif", "MyApp.Repo"}};
  using std::chrono::milliseconds;
  profile.entries = {
      {0, 0, 10, milliseconds(100)}, {1, 1, 5, milliseconds(50)}, {2, 0, 4, milliseconds(40)}};
  profile.duration = std::chrono::seconds(2);
  profile.period = milliseconds(10);
  profile.target = "OTP 27 (erts 15.2.7, jit), pid 42";
  profile.lost = 1;
  return profile;
}

}  // namespace beam_exporter::profile
