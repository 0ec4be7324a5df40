#include "beam/held/link_sort.h"

namespace beam_exporter::beam {

namespace {

// erl_monitor_link.h: ERTS_ML_FLG_EXTENDED (OTP 25 and 27); ERTS_ML_TYPE_MASK and ERTS_ML_F_BASE
// (OTP 29), above which the flags have the same order.
constexpr std::uint32_t extended_flag = 1u << 4;
constexpr std::uint32_t type_in_flags = 0x1f;
constexpr unsigned flags_behind_type = 7;

bool type_is_in_flags(const LinkLayout& layout) {
  return !layout.type.present() && layout.flags.width == sizeof(std::uint32_t);
}

// OTP 24 does not have ERTS_MON_TYPE_DIST_PORT: the numbers behind it are one less. Nor does it
// have the buffers of signals, which came with the same release.
std::uint32_t of_today(const StructLayouts& layout, std::uint32_t type) {
  const bool has_port_elsewhere = layout.signal_buffer.size != 0;
  return has_port_elsewhere || type < link_type::port_elsewhere ? type : type + 1;
}

}  // namespace

bool knows_link_sorts(const StructLayouts& layout) {
  if (!layout.link.flags.present()) return false;
  return type_is_in_flags(layout.link)
             ? layout.monitor.origin_flags.present()
             : layout.link.type.present() && layout.monitor.origin_type.present();
}

std::optional<LinkSort> link_sort(const StructLayouts& layout, StructBytes node) {
  const auto flags = node.get(layout.link.flags);
  if (!flags) return std::nullopt;
  if (type_is_in_flags(layout.link))
    return LinkSort{*flags & type_in_flags, (*flags >> flags_behind_type & extended_flag) != 0};
  const auto type = node.get(layout.link.type);
  if (!type) return std::nullopt;
  return LinkSort{of_today(layout, *type), (*flags & extended_flag) != 0};
}

std::optional<std::uint32_t> monitor_type(const StructLayouts& layout, StructBytes monitor) {
  if (!type_is_in_flags(layout.link)) {
    const auto type = monitor.get(layout.monitor.origin_type);
    return type ? std::optional(of_today(layout, *type)) : std::nullopt;
  }
  const auto flags = monitor.get(layout.monitor.origin_flags);
  if (!flags) return std::nullopt;
  return *flags & type_in_flags;
}

}  // namespace beam_exporter::beam
