#pragma once

namespace beam_exporter::os {

// Makes malloc give back what attaching needed for a moment, and keep two pools where it would keep
// one for each of many threads: a third of our resident memory. Before the first thread.
void keep_heap_small();

}  // namespace beam_exporter::os
