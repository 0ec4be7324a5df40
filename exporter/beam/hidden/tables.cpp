#include "beam/hidden/tables.h"

#include <algorithm>
#include <span>

#include "beam/layout/remote_struct.h"
#include "beam/processes/process_table.h"
#include "beam/terms/atoms.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

constexpr Eterm first_atom = 0x0b;
// An ErtsPTab begins at a cache line (erl_process.c, erl_port.h).
constexpr std::size_t table_alignment = 64;
// Low slots are used first: this many have some, or the table has none.
constexpr std::uint64_t most_searched_pieces = 16;

std::span<const std::byte> bytes_of_data(const HiddenVm& vm) {
  return std::as_bytes(std::span(vm.data.words()));
}

// The id of what stands in the first used slots; 0 when nothing does.
Eterm first_id(const HiddenVm& vm, ProcessTable& table) {
  std::vector<ProcessTable::Used> used;
  for (std::uint64_t piece = 0; piece < std::min(table.pieces(), most_searched_pieces); ++piece) {
    if (!table.read_piece(piece, used)) return 0;
    for (const auto& [slot, object] : used)
      if (const auto id = read_field(vm.memory, object, vm.layout.process.id); id && *id != 0)
        return *id;
  }
  return 0;
}

}  // namespace

std::optional<os::Address> find_atom_table(const HiddenVm& vm) {
  const auto& at = vm.layout.index_table;
  const auto data = bytes_of_data(vm);
  for (std::size_t begin = 0; begin + at.size <= data.size(); begin += sizeof(os::Address)) {
    const StructBytes table(data.subspan(begin, at.size));
    const auto entries = table.get(at.entries), limit = table.get(at.limit);
    if (!entries || !limit || *entries == 0 || *entries > *limit) continue;
    if (constant_text(vm, table.get(at.table_name).value_or(0)) != "atom_tab") continue;
    // The text has other users, whose data may look like such a table.
    const os::Address place = vm.data.begin() + begin;
    if (Atoms(vm.layout, vm.memory, place).name(first_atom)) return place;
  }
  return std::nullopt;
}

ProcessAndPortTable find_process_and_port_table(const HiddenVm& vm) {
  ProcessAndPortTable found;
  const auto& at = vm.layout.process_table;
  const auto data = bytes_of_data(vm);
  const std::size_t first = (table_alignment - vm.data.begin() % table_alignment) % table_alignment;
  for (std::size_t begin = first; begin + at.size <= data.size(); begin += table_alignment) {
    const StructBytes fields(data.subspan(begin, at.size));
    const auto max = fields.get(at.max);
    if (!max || *max < 2 || fields.get(at.pix_mask) != *max - 1) continue;
    const os::Address place = vm.data.begin() + begin;
    auto table = ProcessTable::open(vm.layout, vm.memory, place);
    if (!table) continue;
    const Eterm id = first_id(vm, *table);
    // _TAG_IMMED1_PID and _TAG_IMMED1_PORT, erl_term.h (OTP 25 to 29).
    if (is_internal_pid(id) && !found.processes) found.processes = place;
    if ((id & 0xf) == 0x7 && !found.ports) found.ports = place;
  }
  return found;
}

}  // namespace beam_exporter::beam
