#include "beam/process_table.h"

#include <bit>

#include "beam/remote_struct.h"
#include "beam/term.h"

namespace beam_exporter::beam {

namespace {

// ERTS_MAX_PROCESSES is 2^27 (erl_process.h); bounds what a torn value makes us read.
constexpr std::uint32_t largest_table = 1u << 27;

}  // namespace

std::optional<ProcessSlots> read_process_slots(const Layout& layout, const os::Memory& memory,
                                               os::Address place) {
  const auto bytes = read_struct(memory, place, layout.process_table.size);
  if (!bytes) return std::nullopt;
  const StructBytes fields(*bytes);
  const auto& at = layout.process_table;
  const auto tab = fields.get(at.tab), invalid = fields.get(at.invalid_element);
  const auto max = fields.get(at.max), count = fields.get(at.count);
  const auto mask = fields.get(at.pix_mask);
  if (!tab || !invalid || !max || !count || !mask || !std::has_single_bit(*max) ||
      *max > largest_table || *mask != *max - 1)
    return std::nullopt;
  std::vector<os::Address> slots(*max);
  if (!memory.read(*tab, std::as_writable_bytes(std::span(slots)))) return std::nullopt;
  // pix_mask is 4 bytes wide where the slot is the upper half of an id.
  ProcessSlots table{.count = *count, .mask = *mask, .slot_in_upper_half = at.pix_mask.width == 4};
  for (std::uint64_t slot = 0; slot < slots.size(); ++slot)
    if (slots[slot] != 0 && slots[slot] != *invalid) table.used.push_back({slot, slots[slot]});
  return table;
}

std::optional<ProcessTable> read_process_table(const Layout& layout, const os::Memory& memory,
                                               os::Address place) {
  const auto slots = read_process_slots(layout, memory, place);
  if (!slots) return std::nullopt;
  const auto& used = slots->used;
  ProcessTable table{.count = slots->count};
  std::vector<Eterm> ids(used.size());
  std::vector<os::ReadRequest> requests(used.size());
  for (std::size_t k = 0; k < used.size(); ++k)
    requests[k] = {layout.process.id.at(used[k].process), os::bytes_of(ids[k])};
  memory.read_batch(requests);
  for (std::size_t k = 0; k < used.size(); ++k) {
    const bool own =
        requests[k].ok && is_internal_pid(ids[k]) && slots->slot_of(ids[k]) == used[k].slot;
    if (own)
      table.processes.push_back(used[k].process);
    else
      ++table.misplaced;
  }
  return table;
}

}  // namespace beam_exporter::beam
