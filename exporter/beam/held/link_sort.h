#pragma once

#include <cstdint>
#include <optional>

#include "beam/layout/layout.h"

namespace beam_exporter::beam {

// Which kind of link or monitor one side of it says it is of. Up to OTP 27 it has a member `type`
// beside `flags`; from OTP 28 on its flags begin with the type. Any thread.
struct LinkSort {
  std::uint32_t type;  // ERTS_MON_TYPE_* or ERTS_LNK_TYPE_*, link_type below
  bool extended;       // ERTS_ML_FLG_EXTENDED: its block holds terms too
};

// erl_monitor_link.h (OTP 25, 27 and 29). The functions below turn the numbers of OTP 24 into
// these.
namespace link_type {
inline constexpr std::uint32_t process_elsewhere = 3, port_elsewhere = 4, node = 6, nodes = 7,
                               suspend = 8, alias = 9;
// Types of links follow those of monitors: ERTS_LNK_TYPE_PROC to ERTS_LNK_TYPE_MAX.
inline constexpr std::uint32_t last_of_monitors = alias, last_of_links = 12;
}  // namespace link_type

// The layout says where both functions below find it.
bool knows_link_sorts(const StructLayouts& layout);

// Of the bytes of an ErtsLink or ErtsMonitor; nullopt when they do not hold it.
std::optional<LinkSort> link_sort(const StructLayouts& layout, StructBytes node);

// The type of a monitor, of the bytes of its ErtsMonitorData.
std::optional<std::uint32_t> monitor_type(const StructLayouts& layout, StructBytes monitor);

}  // namespace beam_exporter::beam
