#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beam/schedulers/thread_kind.h"
#include "profile/formats/flame_tree.h"
#include "profile/profile.h"

// What `top` shows of a profile, without saying how: its rows, their order, what is left out. Pure.
namespace beam_exporter::commands {

enum class TopView { functions, called, processes, states, flame };
// `called`: what the VM implements in C, BIFs and NIFs. `flame`: no rows, whole stacks.
inline constexpr std::array<std::string_view, 5> top_view_names = {"functions", "called",
                                                                   "processes", "states", "flame"};

struct TopChoice {
  TopView view = TopView::functions;
  bool by_inclusive = false;  // sorts by inclusive, not by self
  bool only_erlang = false;   // the time of BIFs and NIFs counts for the Erlang function below
  std::string filter;  // part of the module, or of the process; "": all. `flame`: of any module
                       // of the stack; `states`: not used
  std::optional<beam::ThreadRole> thread;  // samples of this thread; all when empty
};

struct TopRow {
  std::string name;             // of the function, the process or the state
  std::uint64_t self = 0;       // samples
  std::uint64_t inclusive = 0;  // of a process or state: as `self`
  std::string_view kind;        // of the function: as function_kind_names
  std::string state;            // of microstate accounting: that of most of `self`
  std::string function;         // of a process or state: its function with most of `self`
};

struct TopRows {
  std::uint64_t samples = 0;  // of the chosen thread; `self` and `inclusive` are parts of it
  std::vector<TopRow> rows;   // the largest first
};

// Those of the chosen thread.
std::uint64_t samples_of(const profile::Profile& profile, const TopChoice& choice);

// The stacks that the view `flame` shows.
profile::FlameNode top_flame(const profile::Profile& profile, const TopChoice& choice);

// At most `most` rows, of another view.
TopRows top_rows(const profile::Profile& profile, const TopChoice& choice, std::size_t most);

}  // namespace beam_exporter::commands
