#pragma once

namespace beam_exporter::os {

// Tells malloc to return memory that is only needed while we attach, and to keep two pools instead
// of one for each of many threads. Saves a third of our resident memory. Call it before the first
// thread starts.
void keep_heap_small();

}  // namespace beam_exporter::os
