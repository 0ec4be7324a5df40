#include "beam/process_proof.h"

#include <algorithm>
#include <limits>

#include "beam/processes/process_fields.h"
#include "beam/processes/process_table.h"

namespace beam_exporter::beam {

namespace {

using Used = ProcessTable::Used;

// A process that exits loses its heap, and the state of the exit overwrites its initial call (union
// u, erts_do_exit_process in erl_process.c, OTP 25 and 27).
constexpr std::uint32_t ending = process_flags::free | process_flags::exiting;

constexpr std::size_t most_looks = 1000;
constexpr std::uint64_t most_slots = 3 * (std::uint64_t{1} << 27);  // in all looks together
// If nothing changes in the VM, a wrong layout gives the same numbers in each look: stop after this
// many.
constexpr int same_contradiction = 3;
// If processes change, each look compares other ones: stop after this many contradictions in a row.
constexpr int lasting_contradiction = 20;
// Processes in one piece of the table are often of the same age; we want some from other pieces
// too.
constexpr std::size_t enough_compared = 512, compared_per_piece = 64;
// Every VM has some processes that wait all the time. A proof needs this many that did not change.
constexpr std::size_t least_evidence = 3, wanted_evidence = 8;

// The result of one look at the whole table and at some of its processes.
struct Look {
  std::uint64_t used = 0;  // slots
  std::uint64_t least_counted = std::numeric_limits<std::uint64_t>::max(), most_counted = 0;
  // Of the processes that did not change: how many have the id of their slot, and how many have
  // another.
  std::size_t own = 0, foreign = 0;
  // Of those with the right id whose fields did not change either: all, those with a mapped heap,
  // those with a named initial call.
  std::size_t compared = 0, heaps = 0, names = 0;

  friend bool operator==(const Look&, const Look&) = default;

  // A process that does not change has the id of its slot; if more than one in a hundred has not,
  // the layout is wrong.
  bool ids_fit() const { return foreign <= own / 100; }
  bool count_fits() const {
    const std::uint64_t slack = 2 + most_counted / 10;
    return used + slack >= least_counted && used <= most_counted + slack;
  }
  // A new process gets its id before its other fields, and its creator may wait for a CPU between
  // the two. So a few may differ.
  bool fields_fit() const { return heaps * 10 >= compared * 9 && names * 10 >= compared * 9; }
  bool enough(std::size_t evidence) const {
    const std::size_t wanted = std::min<std::size_t>(wanted_evidence, used / 2);
    return evidence >= std::max(least_evidence, wanted);
  }
  bool contradicts_ids() const { return enough(own + foreign) && !ids_fit(); }
  bool contradicts_fields() const { return enough(compared) && !fields_fit(); }
  bool proves_table() const { return enough(own) && ids_fit() && count_fits(); }
  bool proves_fields() const { return enough(compared) && fields_fit(); }
};

class Looker {
 public:
  explicit Looker(VirtualMachine& vm) : vm_(vm) {}

  // False when the table cannot be read.
  bool look(ProcessTable& table, Look& look) {
    look = {};
    if (!count(table, look)) return false;
    for (std::uint64_t piece = 0; piece < table.pieces(); ++piece) {
      if (!table.read_piece(piece, used_) || !count(table, look)) return false;
      look.used += used_.size();
      if (look.own + look.foreign < enough_compared)
        compare(table, std::span(used_).first(std::min(compared_per_piece, used_.size())), look);
    }
    return true;
  }

 private:
  static bool count(const ProcessTable& table, Look& look) {
    const auto now = table.count();
    if (!now) return false;
    look.least_counted = std::min<std::uint64_t>(look.least_counted, *now);
    look.most_counted = std::max<std::uint64_t>(look.most_counted, *now);
    return true;
  }

  void compare(const ProcessTable& table, std::span<const Used> used, Look& look) {
    if (used.empty()) return;
    read(used, first_, first_requests_);
    read(used, second_, second_requests_);
    after_.assign(used.begin(), used.end());
    table.look_again(after_);
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (after_[k].process != used[k].process) continue;
      const StructBytes fields(second_requests_[k].into);
      const bool own = first_requests_[k].ok && second_requests_[k].ok &&
                       table.owns(used[k].slot, fields.get(vm_.layout().process.id).value_or(0));
      ++(own ? look.own : look.foreign);
      if (own) compare_fields(used[k].process, k, look);
    }
  }

  void compare_fields(os::Address address, std::size_t k, Look& look) {
    const auto& layout = vm_.layout();
    if (!same_fields(first_requests_[k].into, second_requests_[k].into)) return;
    const StructBytes fields(second_requests_[k].into);
    if ((fields.get(layout.process.state).value_or(0) & ending) != 0) return;
    // The process is being created (alloc_process, erl_process.c, OTP 25 and 27).
    if (fields.get(layout.process.heap) == 0) return;
    ++look.compared;
    const auto process = process_from(layout, address, second_requests_[k].into);
    if (!process) return;
    if (vm_.readable(process->heap, process->hend - process->heap)) ++look.heaps;
    if (vm_.name_of(process->initial)) ++look.names;
  }

  bool same_fields(std::span<const std::byte> first, std::span<const std::byte> second) const {
    const auto& at = vm_.layout().process;
    const StructBytes a(first), b(second);
    const auto same = [&](const auto& field) { return a.get(field) == b.get(field); };
    return same(at.id) && same(at.heap) && same(at.htop) && same(at.hend) &&
           same(at.initial_module) && same(at.initial_function) && same(at.initial_arity);
  }

  void read(std::span<const Used> used, std::vector<std::byte>& bytes,
            std::vector<os::ReadRequest>& requests) const {
    const std::size_t size = vm_.layout().process.size;
    bytes.resize(used.size() * size);
    requests.clear();
    for (std::size_t k = 0; k < used.size(); ++k)
      requests.push_back({used[k].process, std::span(bytes).subspan(k * size, size)});
    vm_.memory().read_batch(requests);
  }

  VirtualMachine& vm_;
  std::vector<Used> used_, after_;
  std::vector<std::byte> first_, second_;
  std::vector<os::ReadRequest> first_requests_, second_requests_;
};

std::string table_detail(const Look& look) {
  return std::to_string(look.used) + " processes; of those that did not change, " +
         std::to_string(look.own) + " have an id of their own slot, " +
         std::to_string(look.foreign) + " do not; the VM counts " +
         std::to_string(look.least_counted) +
         (look.most_counted == look.least_counted ? ""
                                                  : " to " + std::to_string(look.most_counted));
}

std::string fields_detail(const Look& look) {
  return "of " + std::to_string(look.compared) + " that did not change, " +
         std::to_string(look.heaps) + " with a mapped heap, " + std::to_string(look.names) +
         " with a named initial call";
}

std::vector<CheckResult> both(bool ok, const std::string& why) {
  return {{"processes", ok, why}, {"process_fields", ok, why}};
}

}  // namespace

std::vector<CheckResult> prove_processes(VirtualMachine& vm) {
  const auto place = vm.static_data().symbol("erts_proc");
  if (!place) return both(false, "no symbol erts_proc");
  auto table = ProcessTable::open(vm.layout(), vm.memory(), *place);
  if (!table) return both(false, "the process table cannot be read");
  Looker looker(vm);
  CheckResult processes{"processes"}, fields{"process_fields"};
  Look last;
  int same = 0, contradictions = 0;
  const std::uint64_t slots = table->pieces() * ProcessTable::slots_per_piece;
  for (std::size_t looks = 0; looks < most_looks && looks * slots <= most_slots; ++looks) {
    Look look;
    if (!looker.look(*table, look)) return both(false, "the process table cannot be read");
    if (!processes.ok) processes = {"processes", look.proves_table(), table_detail(look)};
    if (!fields.ok) fields = {"process_fields", look.proves_fields(), fields_detail(look)};
    if (processes.ok && fields.ok) break;
    same = look == last ? same + 1 : 1;
    const bool contradicts =
        (!processes.ok && look.contradicts_ids()) || (!fields.ok && look.contradicts_fields());
    contradictions = contradicts ? contradictions + 1 : 0;
    if (same == same_contradiction || contradictions == lasting_contradiction) break;
    last = look;
  }
  return {processes, fields};
}

}  // namespace beam_exporter::beam
