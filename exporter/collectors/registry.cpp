#include "collectors/registry.h"

#include "collectors/allocator_collector.h"
#include "collectors/carrier_collector.h"
#include "collectors/process_collector.h"
#include "collectors/vitals_collector.h"

namespace beam_exporter::collectors {

namespace {

template <class T>
std::unique_ptr<Collector> make(const Subject& subject) {
  return std::make_unique<T>(subject);
}

}  // namespace

const std::array<RegisteredCollector, collector_count> registry{{
    {"vitals", make<VitalsCollector>},
    {"allocators", make<AllocatorCollector>},
    {"carriers", make<CarrierCollector>},
    {"processes", make<ProcessCollector>},
}};

}  // namespace beam_exporter::collectors
