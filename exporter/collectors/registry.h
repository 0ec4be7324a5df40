#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "collectors/collector.h"

namespace beam_exporter::collectors {

// Every collector there is: its name, as the label `collector` has it, and how it is made for a
// VM. In the order in which they look when several are due.
struct RegisteredCollector {
  std::string_view name;
  std::unique_ptr<Collector> (*make)(const Subject& subject);
};

inline constexpr std::size_t collector_count = 4;
extern const std::array<RegisteredCollector, collector_count> registry;

}  // namespace beam_exporter::collectors
