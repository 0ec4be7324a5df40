#include "beam/hidden/stack_base.h"

#include <algorithm>
#include <map>

#include "beam/layout/remote_struct.h"
#include "beam/processes/process_table.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t enough_processes = 64;

}  // namespace

std::optional<StackBase> read_stack_base(const Layout& layout, const os::Memory& memory,
                                         os::Address processes) {
  auto table = ProcessTable::open(layout, memory, processes);
  if (!table) return std::nullopt;
  std::map<os::Address, std::size_t> bases;
  std::size_t looked_at = 0, chained = 0;
  std::vector<ProcessTable::Used> used;
  for (std::uint64_t piece = 0; piece < table->pieces() && looked_at < enough_processes; ++piece) {
    if (!table->read_piece(piece, used)) break;
    for (const auto& [slot, process] : used) {
      const auto bytes = read_struct(memory, process, layout.process.size);
      if (!bytes) continue;
      const StructBytes fields(*bytes);
      const auto stop = fields.get(layout.process.stop).value_or(0);
      const auto hend = fields.get(layout.process.hend).value_or(0);
      const auto base = memory.value<Eterm>(hend - sizeof(Eterm));
      // An ending process has an empty stack.
      if (stop >= hend || !base || !is_continuation_pointer(*base)) continue;
      ++looked_at;
      ++bases[*base];
      const auto frame = fields.get(layout.process.frame_pointer).value_or(0);
      if (stop <= frame && frame < hend) ++chained;
      if (looked_at == enough_processes) break;
    }
  }
  const auto most = std::ranges::max_element(bases, {}, &decltype(bases)::value_type::second);
  if (most == bases.end() || most->second * 4 < looked_at * 3) return std::nullopt;
  return StackBase{most->first, chained * 4 > looked_at * 3};
}

}  // namespace beam_exporter::beam
