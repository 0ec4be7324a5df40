#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Links and monitors, part of Layout: structs of erl_monitor_link.h (OTP 25, 27 and 29). Read by
// processes/link_sizes. The structs of a size that matters have a member only to be optional.
namespace beam_exporter::beam {

// ErtsMonLnkNode, also known as ErtsLink and ErtsMonitor: one side of a link or monitor.
struct LinkLayout : Struct<"ErtsLink"> {
  Member<os::Address> right{"node.tree.right", Need::optional};
  Member<os::Address> left{"node.tree.left", Need::optional};
  Member<os::Address> next{"node.list.next", Need::optional};  // in a ring
  // Bytes from the struct that holds this side to it.
  Member<std::uint16_t> offset{"offset", Need::optional};
  Member<std::uint32_t> flags{"flags", Need::optional};  // ERTS_ML_FLG_*
  // ERTS_MON_TYPE_*. From OTP 28 on it is in `flags`, which then has four bytes.
  Member<std::uint16_t> type{"type", Need::optional};
};

// A link to a process of another node: both sides.
struct DistantLinkLayout : Struct<"ErtsELink"> {
  Member<std::uint32_t> references{"ld.refc.counter", Need::optional};
  Member<Eterm> heap{"heap", Need::optional};  // the header of the external pid
};

// Both sides of a monitor.
struct MonitorLayout : Struct<"ErtsMonitorData"> {
  Member<std::uint32_t> origin_flags{"origin.flags", Need::optional};
  Member<std::uint16_t> origin_type{"origin.type", Need::optional};  // as that of LinkLayout
  Member<Eterm> origin_item{"origin.other.item", Need::optional};
  Member<Eterm> target_item{"u.target.other.item", Need::optional};
  Member<Eterm> reference{"ref", Need::optional};
  Member<std::uint32_t> references{"refc.counter", Need::optional};
};

// A monitor of a process or port by its id; by a name or on another node; of suspend_process.
struct PlainMonitorLayout : Struct<"ErtsMonitorDataHeap"> {
  Member<Eterm> heap{"ref_heap", Need::optional};
};
struct ExtendedMonitorLayout : Struct<"ErtsMonitorDataExtended"> {
  Member<Eterm> heap{"heap", Need::optional};
};
struct SuspendMonitorLayout : Struct<"ErtsMonitorSuspend"> {
  Member<os::Address> next{"next", Need::optional};
};

}  // namespace beam_exporter::beam
