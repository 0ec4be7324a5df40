#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "collectors/collector.h"

namespace beam_exporter::collectors {

// Each collector is a file of its own in this folder.
std::unique_ptr<Collector> make_vitals_collector(const Subject& subject);
std::unique_ptr<Collector> make_allocator_collector(const Subject& subject);
std::unique_ptr<Collector> make_carrier_collector(const Subject& subject);
std::unique_ptr<Collector> make_process_collector(const Subject& subject);

// A collector: its name, which is the value of the label `collector`, and the function that makes
// it for a VM.
struct RegisteredCollector {
  std::string_view name;
  std::unique_ptr<Collector> (*make)(const Subject& subject);
};

// All collectors, in the order in which they look when several are due.
inline constexpr std::array<RegisteredCollector, 4> registry{{
    {"vitals", make_vitals_collector},
    {"allocators", make_allocator_collector},
    {"carriers", make_carrier_collector},
    {"processes", make_process_collector},
}};

}  // namespace beam_exporter::collectors
