#pragma once

#include <cstddef>

namespace beam_exporter::web {

// How many of `wanted` threads can be started now: starts them and ends them at once. Called before
// the server starts. Takes a millisecond or two.
std::size_t startable_threads(std::size_t wanted);

}  // namespace beam_exporter::web
