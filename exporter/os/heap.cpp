#include "os/heap.h"

#include <malloc.h>

namespace beam_exporter::os {

void keep_heap_small() {
  // Left alone, glibc raises both thresholds to the largest block it has seen freed: then symbol
  // tables of some MiB, read once, stay in the heap for good.
  constexpr int large = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
  mallopt(M_ARENA_MAX, 2);
}

}  // namespace beam_exporter::os
