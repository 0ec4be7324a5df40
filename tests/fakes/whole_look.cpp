#include "fakes/whole_look.h"

#include <unistd.h>

#include "beam/allocators/carrier_functions.h"
#include "beam/allocators/carrier_walk.h"
#include "beam/allocators/segments.h"
#include "beam/code/bif_table.h"
#include "beam/code/source_line.h"
#include "beam/ets_tables.h"
#include "beam/held/held_by_processes.h"
#include "beam/layout_check.h"
#include "beam/part_checks.h"
#include "beam/perf_map.h"
#include "beam/process_stacks.h"
#include "beam/processes/first_messages.h"
#include "beam/processes/process_name.h"
#include "beam/processes_of_vm.h"
#include "beam/schedulers/vitals.h"
#include "beam/terms/term_text.h"
#include "text/utf8.h"

namespace beam_exporter::tests {

namespace {

// User space is not larger.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 47;
constexpr std::size_t most_messages = 10;  // of each process

class Looker {
 public:
  Looker(ReadLog& memory, beam::VirtualMachine& vm, WholeLook& look)
      : memory_(memory), vm_(vm), look_(look) {}

  void look() {
    as("check_layout", [&] { tell_checks(beam::check_layout(vm_)); });
    as("check_parts", [&] { tell_checks(beam::check_parts(vm_)); });
    as("code", [&] { look_at_code(); });
    as("processes", [&] { look_at_processes(); });
    as("stacks", [&] { look_at_stacks(); });
    as("held", [&] { look_at_held(); });
    as("allocators", [&] { look_at_allocators(); });
    as("ets_tables", [&] { look_at_ets_tables(); });
    as("vitals", [&] { look_at_vitals(); });
  }

 private:
  void as(const char* reader, auto read) {
    memory_.note_as(reader);
    look_.told += std::string(reader) + ":";
    read();
    look_.told += "\n";
  }
  void tell(std::uint64_t number) { look_.told += " " + std::to_string(number); }
  void tell(const std::optional<std::uint64_t>& number) {
    look_.told += number ? " " + std::to_string(*number) : " -";
  }
  void tell(const std::string& name) {
    look_.told += " " + name;
    expect(text::is_utf8(name), "a name that is no UTF-8");
  }
  void tell(const std::optional<std::string>& name) {
    if (name)
      tell(*name);
    else
      look_.told += " -";
  }
  void tell_size(std::uint64_t bytes, const char* what) {
    tell(bytes);
    expect(bytes <= most_bytes, what);
  }
  void expect(bool sane, const std::string& what) {
    if (!sane) look_.absurd.push_back(what);
  }

  void tell_checks(const std::vector<beam::CheckResult>& results) {
    for (const auto& result : results) {
      tell(result.name);
      tell(result.ok);
      tell(result.detail);
    }
  }

  void look_at_code() {
    (void)vm_.code().refresh();
    os::Address end = 0;
    for (const auto range : vm_.code().ranges()) {
      expect(range.begin >= end && range.end > range.begin, "modules that overlap");
      end = range.end;
      const auto* module = vm_.code().module_at(range.begin);
      if (module == nullptr) continue;
      expect(module->starts.size() == module->functions.size() && !module->functions.empty() &&
                 range.contains(module->starts.front()) && module->code_end <= range.end &&
                 std::ranges::is_sorted(module->starts),
             "functions outside their module");
      if (const auto line = beam::source_line(vm_.layout(), vm_.memory(), vm_.atoms(), *module,
                                              module->starts.back())) {
        tell(line->file);
        tell(line->line);
      }
    }
    const auto map = beam::perf_map(vm_);
    tell(map.functions);
    tell(map.undecoded);
    tell(map.text);
    for (const auto& bif : beam::read_bif_table(vm_.static_data(), vm_.memory())) {
      const auto name = vm_.name_of(bif.mfa);
      tell(name ? std::optional(name->function) : std::nullopt);
    }
  }

  void look_at_processes() {
    const auto scan = beam::scan_processes(
        vm_, [&](const beam::ScannedProcess& process) { processes_.push_back(process); });
    if (!scan) {
      processes_.clear();
      return;
    }
    tell(scan->torn);
    tell(scan->unmeasured_messages);
    for (const auto& process : processes_) {
      expect((process.id & 0xf) == 3, "a process whose id is no pid");
      tell(process.id);
      tell_size(process.heap_bytes, "a heap that is larger than the address space");
      tell_size(process.messages, "more messages than bytes");
      tell(process.reductions);
      tell(process.state);
      tell(beam::process_name(vm_.layout(), vm_.memory(), vm_.atoms(), process));
      tell(beam::registered_name(vm_.layout(), vm_.memory(), vm_.atoms(), process));
      look_at_messages(process);
    }
  }

  void look_at_messages(const beam::ScannedProcess& process) {
    const auto messages = beam::first_messages(vm_.layout(), vm_.memory(), process.address,
                                               process.id, most_messages);
    expect(messages.terms.size() <= most_messages, "more messages than asked for");
    for (const auto term : messages.terms)
      tell(beam::term_text(vm_.layout(), vm_.memory(), vm_.atoms(), term));
    tell(messages.signals);
    tell(messages.torn);
  }

  void look_at_stacks() {
    const auto scan =
        beam::scan_process_stacks(vm_, vm_.code(), [&](const beam::ProcessStack& stack) {
          for (const auto& frame : stack.stack.frames) {
            const auto name = vm_.name_of(frame.mfa);
            tell(name ? std::optional(name->module) : std::nullopt);
            tell(name ? std::optional(name->function) : std::nullopt);
            expect(vm_.code().module_at(frame.address) != nullptr, "a frame outside all modules");
          }
        });
    tell(scan ? std::optional(scan->processes) : std::nullopt);
  }

  void look_at_held() {
    const beam::Holdings all{.memory = beam::can_measure(vm_.layout(), {.memory = true}),
                             .binaries = beam::can_measure(vm_.layout(), {.binaries = true})};
    const auto look = beam::measure_held(vm_.layout(), vm_.memory(), processes_, all);
    for (const auto& held : look.held)
      for (const auto& amount : {held.memory, held.binaries}) {
        if (!amount) continue;
        tell_size(amount->bytes, "a process that holds more than the address space");
        tell(amount->whole);
        expect(!amount->torn, "an amount that is torn");
      }
    tell(look.given_up);
  }

  void look_at_allocators() {
    const auto set = beam::find_allocators(vm_.layout(), vm_.static_data(), vm_.memory());
    if (!set) return;
    for (const auto& function : beam::carrier_functions(vm_.layout(), vm_.memory(), *set))
      tell(function.address);
    beam::AllocatorReader reader(vm_.layout(), vm_.memory(), *set);
    const auto statistics = reader.read();
    if (!statistics) return;
    for (const auto& each : *statistics) {
      tell_size(each.multi_block.carrier_bytes, "carriers larger than the address space");
      tell_size(each.single_block.carrier_bytes, "carriers larger than the address space");
      tell(each.free_bytes);
      tell(each.largest_free);
      expect(each.multi_block.block_bytes + each.free_bytes <= each.multi_block.carrier_bytes,
             "blocks larger than their carriers");
      expect(each.largest_free <= each.free_bytes, "a free block larger than all of them");
    }
    for (const auto& carrier :
         beam::walk_carriers(vm_.layout(), vm_.memory(), *set, reader).carriers) {
      tell(carrier.address);
      tell_size(carrier.size, "a carrier larger than the address space");
      expect(carrier.head + carrier.used <= carrier.size, "blocks larger than their carrier");
      expect(carrier.largest.value_or(0) <= carrier.free(), "a block larger than what is free");
    }
    look_at_segments(*set, *statistics);
  }

  void look_at_segments(const beam::AllocatorSet& set,
                        const std::vector<beam::AllocatorStatistics>& statistics) {
    const beam::Segments segments(vm_.layout(), vm_.static_data(), vm_.memory());
    const auto cached = segments.cached_bytes(set, statistics);
    tell(cached);
    expect(cached.value_or(0) <= 3 * most_bytes, "caches larger than the address space");
    if (const auto found = segments.cached_segments())
      for (const auto& segment : *found) tell(segment.begin);
    if (const auto area = segments.literal_area()) tell(area->size());
  }

  void look_at_ets_tables() {
    const auto all = beam::ets_tables(vm_);
    if (!all) return;
    for (const auto& table : all->tables) {
      tell(table.name);
      tell(table.owner);
      tell(table.objects);
      tell(table.bytes);
    }
    tell(all->broken_lists);
  }

  void look_at_vitals() {
    beam::VitalsReader reader(vm_.layout(), vm_.static_data(), vm_.memory(), vm_.schedulers());
    const auto vitals = reader.read();
    if (!vitals) return;
    for (const auto& number :
         {vitals->processes, vitals->process_limit, vitals->ports, vitals->port_limit,
          vitals->atoms, vitals->atom_limit, vitals->ets_tables, vitals->ets_limit,
          vitals->reductions, vitals->context_switches, vitals->collections, vitals->io_in,
          vitals->io_out})
      tell(number);
    for (const auto& queue : vitals->run_queues) tell(queue.length);
    for (const auto& count : vitals->schedulers) {
      tell(count.online);
      expect(count.online <= count.all, "more schedulers online than there are");
    }
  }

  ReadLog& memory_;
  beam::VirtualMachine& vm_;
  WholeLook& look_;
  std::vector<beam::ScannedProcess> processes_;
};

}  // namespace

WholeLook look_at_all(ReadLog& memory, beam::VirtualMachine::Description description) {
  WholeLook look;
  memory.note_as("attach");
  const auto process = os::Process::open(::getpid());
  auto vm = process ? beam::VirtualMachine::attach(*process, memory, std::move(description),
                                                   [] { return std::chrono::nanoseconds(0); })
                    : os::Result<std::unique_ptr<beam::VirtualMachine>>(process.error());
  look.attached = static_cast<bool>(vm);
  if (vm)
    Looker(memory, **vm, look).look();
  else
    look.told = vm.error().text;
  return look;
}

}  // namespace beam_exporter::tests
