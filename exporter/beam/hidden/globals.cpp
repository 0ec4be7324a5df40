#include "beam/hidden/globals.h"

#include "beam/code/bif_table.h"
#include "beam/hidden/allocator_tables.h"
#include "beam/hidden/dirty_collections.h"
#include "beam/hidden/ets_limit.h"
#include "beam/hidden/interpreter_code.h"
#include "beam/hidden/jit_code.h"
#include "beam/hidden/memory_mapper.h"
#include "beam/hidden/scheduler_arrays.h"
#include "beam/hidden/tables.h"

namespace beam_exporter::beam {

namespace {

// Some searches read the VM's memory for each word. OTP 29 has 50,000.
constexpr std::size_t most_searched_words = 1 << 19;

}  // namespace

void find_hidden_globals(const Layout& layout, const elf::Image& image, std::uint64_t bias,
                         const os::Memory& memory, const os::MemoryMap& map, StaticData& data) {
  if (data.words().size() > most_searched_words) return;
  const HiddenVm vm{layout, image, bias, data, memory, map};
  const auto code = code_of(image, bias);
  const auto tell = [&](const char* name, std::optional<os::Address> place, std::uint64_t size) {
    if (place) data.tell(name, {*place, *place + size});
  };
  tell("erts_atom_table", find_atom_table(vm), layout.index_table.size);
  const auto tables = find_process_and_port_table(vm);
  tell("erts_proc", tables.processes, layout.process_table.size);
  tell("erts_port", tables.ports, layout.process_table.size);
  constexpr std::uint64_t pointer = sizeof(os::Address);
  tell("erts_aligned_scheduler_data", find_scheduler_array(vm, ThreadKind::normal), pointer);
  tell("erts_aligned_dirty_cpu_scheduler_data", find_scheduler_array(vm, ThreadKind::dirty_cpu),
       pointer);
  tell("erts_aligned_dirty_io_scheduler_data", find_scheduler_array(vm, ThreadKind::dirty_io),
       pointer);
  const auto erlang = layout.interpreted() ? find_interpreter_globals(vm) : find_jit_globals(vm);
  if (erlang.process_main) data.tell("process_main", *erlang.process_main);
  tell("the_active_code_index", erlang.active_code_index, sizeof(std::uint32_t));
  // Its size is not known here; the unwind tables tell it (NativeReader).
  if (erlang.schedule && code.contains(*erlang.schedule)) tell("erts_schedule", erlang.schedule, 0);
  const auto text = image.section_bytes(".text");
  tell("user_requested_db_max_tabs",
       find_requested_ets_limit(text.bytes, text.begin + bias, memory), sizeof(std::int32_t));
  const DataWords words{data.words(), data.begin()};
  const auto operands = relative_operands(text.bytes, text.begin + bias);
  if (const auto literals = find_literal_area(words, operands, map)) {
    tell("erts_literals_start", literals->start_at, pointer);
    tell("erts_literals_size", literals->size_at, pointer);
    tell("erts_dflt_mmapper",
         find_default_mapper(layout, words, text.bytes, operands, code, literals->range),
         layout.allocators.mapper.size);
  }
  if (const auto bifs = find_bif_table(data, code)) data.tell("bif_table", *bifs);
  if (const auto allocators = find_allocator_tables(vm)) beam::tell(*allocators, data);
}

void find_static_variables(const Layout& layout, const elf::Image& image, std::uint64_t bias,
                           const os::Memory& memory, StaticData& data) {
  const auto text = image.section_bytes(".text");
  const os::AddressRange words{data.begin(), data.address_of(data.words().size())};
  const auto dirty = find_dirty_collections(layout, text.bytes, text.begin + bias, words, memory);
  if (dirty) data.tell("dirty_gc.info.garbage_cols", {*dirty, *dirty + sizeof(std::uint64_t)});
}

}  // namespace beam_exporter::beam
