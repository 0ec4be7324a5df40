#include "os/heap.h"

#include <malloc.h>

namespace beam_exporter::os {

void keep_heap_small() {
  // By default glibc raises both thresholds to the size of the largest block that was freed. Then
  // symbol tables of some MiB, which are read once, stay in the heap for good.
  constexpr int large = 1 << 20;
  // Called before there is a second thread. NOLINTBEGIN(concurrency-mt-unsafe)
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
  mallopt(M_ARENA_MAX, 2);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace beam_exporter::os
