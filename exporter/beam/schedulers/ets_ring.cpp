#include "beam/schedulers/ets_ring.h"

namespace beam_exporter::beam {

bool knows_ets_tables(const Layout& layout) {
  return layout.scheduler_data.ets_ring().present() && is_whole(layout.ets_table);
}

RingWalk walk_ets_tables(const Layout& layout, const os::Memory& memory, os::Address scheduler,
                         std::size_t most, const std::function<bool(StructBytes)>& visit) {
  const auto first = read_field(memory, scheduler, layout.scheduler_data.ets_ring());
  if (!first) return RingWalk::unreadable;
  if (*first == 0) return RingWalk::closed;
  const auto& at = layout.ets_table;
  os::Address previous = 0, table = *first;
  for (std::size_t seen = 0; seen < most; ++seen) {
    const auto bytes = read_struct(memory, table, at.size);
    if (!bytes) return RingWalk::broken;
    const StructBytes common(*bytes);
    if (seen > 0 && common.get(at.previous) != previous) return RingWalk::broken;
    if (!visit(common)) return RingWalk::given_up;
    previous = table;
    table = common.get(at.next).value_or(0);
    if (table == *first) return RingWalk::closed;
  }
  return RingWalk::given_up;
}

}  // namespace beam_exporter::beam
