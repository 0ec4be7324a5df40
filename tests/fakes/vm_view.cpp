#include "fakes/vm_view.h"

#include "beam/code/source_line.h"
#include "beam/code/stack_walker.h"
#include "beam/layout/remote_struct.h"
#include "beam/processes/process_table.h"

namespace beam_exporter::tests {

Pid pid_of(const beam::VirtualMachine& vm, beam::Eterm id) {
  const auto& table = vm.layout().process_table;
  const auto place = vm.static_data().symbol("erts_proc");
  const std::uint64_t mask =
      place ? beam::read_field(vm.memory(), *place, table.pix_mask).value_or(0) : 0;
  const auto split = [](std::uint64_t data, unsigned number_bits) {
    return Pid{data & ((std::uint64_t{1} << number_bits) - 1), data >> number_bits};
  };
  // erl_term.h _PID_NUM_SIZE: 15 of 28 bits up to OTP 25, 28 of 60 since.
  if (table.pix_mask.width == 4) return split(id >> 4 & 0xfffffff, 15);
  // erl_ptab.h erts_ptab_pixdata2data, OTP 27: processes with neighbouring numbers are in different
  // cache lines of eight slots each.
  const std::uint64_t data = id >> 4;
  const std::uint64_t lines = (mask + 1) / 8;
  return split((data & ~mask) | (data >> 3 & (lines - 1)) | (data & 7) * lines, 28);
}

std::vector<const beam::CodeModule*> modules_of(beam::VirtualMachine& vm) {
  std::vector<const beam::CodeModule*> modules;
  const auto ranges = beam::read_code_ranges(vm.layout(), vm.memory(), vm.code_place());
  if (!ranges) return modules;
  for (const auto& range : ranges->ranges)
    if (const auto* module = vm.code().module_at(range.begin)) modules.push_back(module);
  return modules;
}

std::string module_name(beam::VirtualMachine& vm, const beam::CodeModule& module) {
  return vm.atoms().name(module.functions.front().module).value_or("?");
}

std::string full_name(beam::VirtualMachine& vm, const beam::Mfa& mfa) {
  return vm.atoms().name(mfa.module).value_or("?") + ":" +
         vm.atoms().name(mfa.function).value_or("?") + "/" + std::to_string(mfa.arity);
}

std::set<std::string> functions_of(beam::VirtualMachine& vm, const beam::CodeModule& module) {
  std::set<std::string> names;
  for (const auto& mfa : module.functions) names.insert(full_name(vm, mfa));
  return names;
}

std::vector<beam::ProcessFields> processes_of(beam::VirtualMachine& vm) {
  std::vector<beam::ProcessFields> processes;
  const auto place = vm.static_data().symbol("erts_proc");
  auto table = place ? beam::ProcessTable::open(vm.layout(), vm.memory(), *place) : std::nullopt;
  std::vector<beam::ProcessTable::Used> used;
  for (std::uint64_t piece = 0; table && piece < table->pieces(); ++piece) {
    if (!table->read_piece(piece, used)) return {};
    for (const auto& [slot, address] : used)
      if (const auto process = beam::read_process(vm.layout(), vm.memory(), address);
          process && table->owns(slot, process->id))
        processes.push_back(*process);
  }
  return processes;
}

std::string registered_name(beam::VirtualMachine& vm, const beam::ProcessFields& process) {
  const auto reg = beam::read_field(vm.memory(), process.address, vm.layout().process.reg);
  if (!reg || *reg == 0) return "";
  const auto name = beam::read_field(vm.memory(), *reg, vm.layout().registered.registered_name);
  return name ? vm.atoms().name(*name).value_or("?") : "?";
}

std::vector<std::string> frames_of(beam::VirtualMachine& vm, const beam::ProcessFields& process) {
  std::vector<std::uint64_t> words((process.hend - process.stop) / 8);
  if (!vm.memory().read(process.stop, std::as_writable_bytes(std::span(words)))) return {};
  const auto stack = beam::walk_stack(vm.code(), {.instruction = process.i},
                                      {{process.stop, words}, {}}, std::chrono::nanoseconds::max());
  std::vector<std::string> frames;
  os::Address last = 0;
  for (const auto& frame : stack.frames) {
    if (frame.address == last) continue;
    last = frame.address;
    const auto* module = vm.code().module_at(frame.address);
    const auto line = module != nullptr ? beam::source_line(vm.layout(), vm.memory(), vm.atoms(),
                                                            *module, frame.address)
                                        : std::nullopt;
    frames.push_back(full_name(vm, frame.mfa) + " " +
                     (line ? line->file + ":" + std::to_string(line->line) : "?"));
  }
  return frames;
}

}  // namespace beam_exporter::tests
