#include "fakes/fake_vm.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "fakes/must.h"
#include "text/utf8.h"

namespace beam_exporter::tests {

namespace {

constexpr std::size_t function_bytes = 104;  // ErtsCodeInfo and code
constexpr std::size_t module_tail_bytes = 64;
constexpr std::byte nop{0x90};

std::string utf8(std::u32string_view characters) {
  std::string out;
  for (const char32_t each : characters) beam_exporter::text::append_utf8(out, each);
  return out;
}

}  // namespace

std::vector<std::uint8_t> interpreter_code(const beam::Layout& layout) {
  constexpr int times = 64;
  const auto stop = static_cast<std::uint8_t>(layout.process.stop.offset);
  std::vector<std::uint8_t> code;
  for (int k = 0; k < times; ++k)
    for (const int byte : {0x4d, 0x8b, 0x6c, 0x24, int{stop},  // mov stop(%r12), %r13
                           0x48, 0x8d, 0x5b, 0x08})            // lea 8(%rbx), %rbx
      code.push_back(static_cast<std::uint8_t>(byte));
  return code;
}

FakeVm::FakeVm(beam::Layout wanted) : layout(std::move(wanted)) {
  memory.put_zeros(data_begin, data_bytes);
  atom_segments_ = allocate(16 * 8);
  memory.put(atom_segments_, allocate(1024 * 8));
  memory.put(atom_table, layout.index_table.limit, 1 << 20);
  memory.put(atom_table, layout.index_table.seg_table, atom_segments_);
  if (layout.interpreted()) memory.put_array(interpreter, interpreter_code(layout));
  atom("false");
  atom("true");

  erlang = load({"erlang", {{"apply", 3}, {"now", 0}, {"module_info", 0}}});
  init = load({"init", {{"boot", 1}, {"loop", 1}}});
  erl_prim_loader = load({"erl_prim_loader", {{"start", 0}}});

  slots_ = allocate(process_slots * 8);
  const os::Address invalid = allocate(layout.process.size);
  memory.put(process_table, layout.process_table.tab, slots_);
  memory.put(process_table, layout.process_table.max, process_slots);
  memory.put(process_table, layout.process_table.pix_mask, process_slots - 1);
  memory.put(process_table, layout.process_table.invalid_element, invalid);
  set_slot(process_slots - 1, invalid);
  spawn("init", "boot", 1);
  spawn("erlang", "apply", 3);
  spawn("init", "loop", 1);
  make_schedulers();
}

void FakeVm::make_schedulers() {
  const auto& fields = layout.scheduler_data;
  const std::uint32_t stride = layout.aligned_scheduler_data.size;
  const struct { std::uint32_t count, type; } groups[] = {{2, 0}, {1, 1}, {1, 2}};
  for (std::size_t g = 0; g < 3; ++g) {
    const os::Address array = allocate(std::size_t{groups[g].count} * stride);
    memory.put(scheduler_arrays + 16 * g, array);
    memory.put(scheduler_arrays + 16 * g + 8, std::uint64_t{groups[g].count});
    for (std::uint32_t k = 0; k < groups[g].count; ++k) {
      const os::Address data = array + std::uint64_t{k} * stride;
      memory.put(data, fields.type, groups[g].type);
      memory.put(data, fields.no, g == 0 ? k + 1 : 0);
      memory.put(data, fields.dirty_no, g == 0 ? 0 : k + 1);
      memory.put(data, fields.ssi, allocate(layout.sleep_info.size));
      memory.put(data, fields.run_queue, allocate(256));
      memory.put(data, fields.registers, allocate(layout.scheduler_registers.size));
      schedulers.push_back(data);
    }
  }
}

os::Address FakeVm::allocate(std::size_t bytes) {
  const os::Address at = next_heap_;
  next_heap_ += (bytes + 63) & ~std::size_t{63};
  memory.put_zeros(at, next_heap_ - at);
  return at;
}

os::AddressRange FakeVm::load(const FakeModule& module, os::Address at) {
  const std::size_t count = module.functions.size();
  const std::size_t header = layout.code_header.functions.offset + (count + 1) * 8;
  const os::Address begin = at != 0 ? at : next_code_;
  const os::Address code = begin + ((header + 15) & ~std::size_t{15});
  const os::AddressRange range{begin, code + count * function_bytes + module_tail_bytes};
  if (at == 0) next_code_ = (range.end + 4095) & ~std::uint64_t{4095};
  memory.put_bytes(range.begin, std::vector<std::byte>(range.size(), nop));
  memory.put_zeros(range.begin, header);

  std::vector<os::Address> starts;
  for (std::size_t k = 0; k <= count; ++k) starts.push_back(code + k * function_bytes);
  memory.put(begin, layout.code_header.num_functions, count);
  memory.put_array(layout.code_header.functions.at(begin), starts);
  const os::Address md5 = range.end - 16;
  memory.put_text(md5, std::string(16, module.version));
  memory.put(begin, layout.code_header.md5, md5);
  for (std::size_t k = 0; k < count; ++k) {
    memory.put(starts[k], layout.code_info.module, atom(module.name));
    memory.put(starts[k], layout.code_info.function, atom(module.functions[k].name));
    memory.put(starts[k], layout.code_info.arity, module.functions[k].arity);
  }
  if (module.with_lines) write_lines(module, range, starts);
  code_.push_back(range);
  std::ranges::sort(code_, {}, &os::AddressRange::begin);
  commit();
  return range;
}

void FakeVm::write_lines(const FakeModule& module, os::AddressRange range,
                         const std::vector<os::Address>& starts) {
  std::vector<os::Address> begins;
  std::vector<std::uint32_t> locations;
  std::vector<std::size_t> first;
  for (std::size_t k = 0; k < module.functions.size(); ++k) {
    first.push_back(begins.size());
    for (const auto& line : module.functions[k].lines) {
      begins.push_back(starts[k] + line.offset);
      locations.push_back(line.file << 24 | line.line);
    }
  }
  first.push_back(begins.size());
  begins.push_back(starts.back());

  const os::Address all = allocate(begins.size() * 8);
  memory.put_array(all, begins);
  const os::Address places = allocate(locations.size() * 4 + 4);
  for (std::size_t k = 0; k < locations.size(); ++k) {
    if (module.location_bytes == 2)
      memory.put(places + k * 2, static_cast<std::uint16_t>(locations[k]));
    else
      memory.put(places + k * 4, locations[k]);
  }
  const os::Address files = allocate(module.files.size() * 8 + 8);
  if (!module.files_are_atoms)
    memory.put(files, string(std::u32string(module.name.begin(), module.name.end()) + U".erl"));
  for (std::size_t k = 0; k < module.files.size(); ++k) {
    if (module.files_are_atoms)
      memory.put(files + k * 8, atom(utf8(module.files[k])));
    else
      memory.put(files + (k + 1) * 8, string(module.files[k]));
  }

  const auto& at = layout.line_table;
  const os::Address table = allocate(at.functions.offset + first.size() * 8);
  memory.put(table, at.file_names, files);
  memory.put(table, at.location_size, module.location_bytes);
  memory.put(table, at.locations, places);
  for (std::size_t k = 0; k < first.size(); ++k)
    memory.put(at.functions.at(table) + k * 8, all + first[k] * 8);
  memory.put(range.begin, layout.code_header.line_table, table);
}

void FakeVm::commit() {
  const auto& entry = layout.range;
  active_table_ = allocate((code_.size() + 4) * entry.size);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    memory.put(active_table_ + k * entry.size, entry.start, code_[k].begin);
    memory.put(active_table_ + k * entry.size, entry.end, code_[k].end);
  }
  const std::uint32_t next = (active_index_ + 1) % 3;
  const os::Address table = ranges + std::uint64_t{next} * layout.ranges.size;
  memory.put(table, layout.ranges.modules, active_table_);
  memory.put(table, layout.ranges.count, static_cast<std::int64_t>(code_.size()));
  memory.put(table, layout.ranges.allocated, static_cast<std::int64_t>(code_.size() + 4));
  memory.put(table, layout.ranges.mid, active_table_ + code_.size() / 2 * entry.size);
  set_active_index(next);
}

void FakeVm::set_active_index(std::uint32_t index) {
  active_index_ = index;
  memory.put(active_index_place, index);
}

void FakeVm::purge(os::AddressRange range) {
  const auto found = std::ranges::find(code_, range);
  if (found == code_.end()) throw std::logic_error("purged what is not loaded");
  memory.put(active_table_ + static_cast<std::size_t>(found - code_.begin()) * layout.range.size,
             layout.range.end, range.begin);
  // The entry stays in this table; the table of the next load has no such entry.
  code_.erase(found);
}

os::Address FakeVm::function_start(os::AddressRange module, std::size_t function) const {
  return *memory.value<os::Address>(layout.code_header.functions.at(module.begin) + function * 8);
}

os::Address FakeVm::place_call(os::Address return_address) {
  memory.put(return_address - 5, std::uint8_t{0xe8});
  memory.put(return_address - 4, std::int32_t{0});
  return return_address;
}

os::Address FakeVm::spawn(const std::string& module, const std::string& function, unsigned arity) {
  constexpr std::size_t heap_bytes = 1024;
  const auto slot = static_cast<std::uint32_t>(processes.size());
  const os::Address process = allocate(layout.process.size), heap = allocate(heap_bytes);
  const auto& at = layout.process;
  const bool slot_above = layout.process_table.pix_mask.width == 4;  // up to OTP 25
  memory.put(process, at.id,
             slot_above ? std::uint64_t{slot} << 32 | 5 << 4 | 3
                        : (std::uint64_t{5} * process_slots + slot) << 4 | 3);
  memory.put(process, at.heap, heap);
  memory.put(process, at.htop, heap + 128);
  memory.put(process, at.stop, heap + heap_bytes);
  memory.put(process, at.hend, heap + heap_bytes);
  memory.put(process, at.initial_module, atom(module));
  memory.put(process, at.initial_function, atom(function));
  memory.put(process, at.initial_arity, arity);
  processes.push_back(process);
  set_slot(slot, process);
  memory.put(process_table, layout.process_table.count,
             static_cast<std::uint32_t>(processes.size()));
  return process;
}

os::Address FakeVm::set_stack(os::Address process, const std::vector<std::uint64_t>& words) {
  const auto hend = *memory.value<os::Address>(layout.process.hend.at(process));
  const os::Address stop = hend - words.size() * 8;
  memory.put_array(stop, words);
  memory.put(process, layout.process.stop, stop);
  return stop;
}

elf::Image FakeVm::image() const {
  if (hidden_) return hidden_image();
  SmallElf elf;
  std::string constants(256, '\0');
  constants.replace(0, layout.otp_release.size(), layout.otp_release);
  constants.replace(64, layout.erts_version.size(), layout.erts_version);
  constants[128] = 64;
  constants[132] = layout.flavor == "jit" ? 1 : 0;
  elf.segments = {{{0, 0x1000}, false, true, bytes_of(constants)},
                  {{data_begin - bias, data_begin - bias + data_bytes}, true, false, {}}};
  const os::Address data = scheduler_arrays - bias;
  elf.symbols = {{"etp_otp_release", 0, 64},
                 {"etp_erts_version", 64, 64},
                 {"etp_arch_bits", 128, 4},
                 {"etp_beamasm", 132, 4},
                 {"erts_atom_table", atom_table - bias, layout.index_table.size},
                 {"erts_proc", process_table - bias, layout.process_table.size},
                 {"erts_aligned_scheduler_data", data, 8},
                 {"erts_no_schedulers", data + 8, 8},
                 {"erts_aligned_dirty_cpu_scheduler_data", data + 16, 8},
                 {"erts_no_dirty_cpu_schedulers", data + 24, 8},
                 {"erts_aligned_dirty_io_scheduler_data", data + 32, 8},
                 {"erts_no_dirty_io_schedulers", data + 40, 8},
                 {"the_active_code_index", active_index_place - bias, 4},
                 {"erts_frame_layout", frame_layout - bias, 4}};
  if (layout.interpreted())
    elf.symbols.push_back(
        {"process_main", interpreter - bias, interpreter_code(layout).size(), true});
  elf.symbols.insert(elf.symbols.end(), more_symbols.begin(), more_symbols.end());
  return must(elf::Image::open(elf.file(), "beam in memory"));
}

os::Result<std::unique_ptr<beam::VirtualMachine>> FakeVm::attach() const {
  return attach_by(layout);
}

os::Result<std::unique_ptr<beam::VirtualMachine>> FakeVm::attach_by(beam::Layout by) const {
  std::ostringstream map;
  const auto line = [&](os::Address begin, std::size_t bytes, const char* rights) {
    map << std::hex << begin << '-' << begin + bytes << ' ' << rights << " 00000000 00:00 0 \n";
  };
  map << std::hex << bias << '-' << bias + 0x1000 << " r-xp 00000000 08:01 42 /fake/beam.smp\n";
  line(data_begin, data_bytes, "rw-p");
  for (const auto& mapping : more_mappings) map << mapping << '\n';
  line(code_begin, area_bytes, "r-xp");
  line(heap_begin, area_bytes, "rw-p");
  return beam::VirtualMachine::attach(
      must(os::Process::open(::getpid())), memory,
      {image(), std::move(by), must(os::MemoryMap::parse(map.str())), bias, {}, forced}, clock());
}

}  // namespace beam_exporter::tests
