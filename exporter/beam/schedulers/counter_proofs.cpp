#include "beam/schedulers/counter_proofs.h"

#include <algorithm>
#include <optional>

#include "beam/layout/remote_struct.h"
#include "beam/schedulers/ets_ring.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

constexpr int most_ring_reads = 3;
// A longer list is believed after so many tables.
constexpr std::size_t most_proving_tables = 2000;

std::vector<os::Address> normal(const std::vector<Scheduler>& schedulers) {
  std::vector<os::Address> found;
  for (const auto& scheduler : schedulers)
    if (scheduler.role.kind == ThreadKind::normal) found.push_back(scheduler.data);
  return found;
}

std::string of(std::size_t part, std::size_t all) {
  return std::to_string(part) + " of " + std::to_string(all) + " schedulers";
}

struct QueueCounts {
  std::uint64_t reductions = 0, switches = 0;
};

std::optional<QueueCounts> read_queues(const Layout& layout, const os::Memory& memory,
                                       const std::vector<os::Address>& schedulers) {
  QueueCounts sum;
  for (const auto scheduler : schedulers) {
    const auto queue = read_field(memory, scheduler, layout.scheduler_data.run_queue);
    if (!queue) return std::nullopt;
    const auto reductions = read_field(memory, *queue, layout.run_queue.reductions);
    const auto switches = read_field(memory, *queue, layout.run_queue.context_switches);
    if (!reductions || !switches) return std::nullopt;
    sum.reductions += *reductions;
    sum.switches += *switches;
  }
  return sum;
}

// How many tables the ring of this scheduler has; nullopt: it is none, or it changed.
std::optional<std::size_t> ring_length(const Layout& layout, const os::Memory& memory,
                                       os::Address scheduler) {
  std::size_t tables = 0;
  const auto walk = walk_ets_tables(layout, memory, scheduler, most_proving_tables,
                                    [&](const StructBytes& table) {
                                      const auto owner = table.get(layout.ets_table.owner);
                                      tables += is_internal_pid(owner.value_or(0));
                                      return is_internal_pid(owner.value_or(0));
                                    });
  const bool all = walk == RingWalk::closed || tables == most_proving_tables;
  return all ? std::optional(tables) : std::nullopt;
}

// What a look at one scheduler's tables says. A list that changes says nothing.
struct TableLook {
  std::size_t tables = 0;  // as many as are counted; 0: nothing was seen that fits
  bool contradicts = false;
};

TableLook look_at_tables(const Layout& layout, const os::Memory& memory, os::Address scheduler) {
  const auto& at = layout.scheduler_data.ets_count();
  const Field<std::uint64_t> count{at.offset, at.width};
  int contradictions = 0;
  for (int reads = 0; reads < most_ring_reads; ++reads) {
    const auto before = read_field(memory, scheduler, count);
    const auto length = ring_length(layout, memory, scheduler);
    const auto after = read_field(memory, scheduler, count);
    if (!before || !length || before != after) continue;
    if (*before == *length || (*length == most_proving_tables && *before > *length))
      return {.tables = *length};
    ++contradictions;
  }
  return {.contradicts = contradictions == most_ring_reads};
}

}  // namespace

PartProof prove_io(const Layout& layout, const os::Memory& memory,
                   const std::vector<Scheduler>& schedulers) {
  const auto& fields = layout.scheduler_data;
  // erl_process.h ErtsSchedulerData (OTP 24 to 29): Uint32 thr_id; Uint64 unique, ref; then io.out
  // and io.in. In 23 alloc_data is between. init_scheduler_data sets thr_id of a normal scheduler
  // to its number.
  constexpr std::uint32_t from_number_to_counters = 4 + 8 + 8;
  if (!fields.io_in.present() || !fields.io_out.present() ||
      fields.io_out.offset < from_number_to_counters)
    return {false, "the layout does not have them"};
  Field<std::uint32_t> number{fields.io_out.offset - from_number_to_counters, 4};
  if (fields.thread_id.present()) number = fields.thread_id;
  const bool adjacent = fields.io_in.offset == fields.io_out.offset + fields.io_out.width;
  std::size_t all = 0, ok = 0;
  for (const auto& scheduler : schedulers) {
    if (scheduler.role.kind != ThreadKind::normal) continue;
    ++all;
    ok += adjacent && read_field(memory, scheduler.data, number) == scheduler.role.number;
  }
  return {all > 0 && ok == all, of(ok, all) + " hold their number before them"};
}

PartProof prove_reductions(const Layout& layout, const os::Memory& memory,
                           const std::vector<Scheduler>& schedulers) {
  // erts_schedule (erl_process.c, OTP 24 to 29): for each process that is scheduled out, the
  // scheduler counts its reductions but at least ERTS_PROC_MIN_CONTEXT_SWITCH_REDS_COST, the run
  // queue exactly its reductions; context_switches counts those that were scheduled in.
  constexpr std::uint64_t least_of_a_switch = 400;
  constexpr std::uint64_t enough_switches = 100;
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  if (!layout.scheduler_data.reductions.present()) return {false, "the layout does not have them"};
  const auto all = normal(schedulers);
  const auto before = read_queues(layout, memory, all);
  std::uint64_t counted = 0;
  for (const auto scheduler : all)
    counted = std::min(
        most,
        counted +
            std::min(most,
                     read_field(memory, scheduler, layout.scheduler_data.reductions).value_or(0)));
  const auto after = read_queues(layout, memory, all);
  if (!before || !after) return {false, "the run queues cannot be read"};
  const std::string detail = std::to_string(counted) + " in the schedulers, " +
                             std::to_string(after->reductions) + " in their queues, " +
                             std::to_string(after->switches) + " context switches";
  const auto running = 2 * all.size();  // scheduled in and not yet out
  if (before->switches < enough_switches + running || after->switches > most / least_of_a_switch ||
      after->reductions > most)
    return {false, detail};
  // By half and by twice: a build may have another CONTEXT_REDS, of which the least is a tenth.
  const std::uint64_t low = least_of_a_switch / 2 * (before->switches - running);
  const std::uint64_t high = 2 * (after->reductions + least_of_a_switch * after->switches);
  return {counted >= low && counted <= high, detail};
}

PartProof prove_ets_tables(const Layout& layout, const os::Memory& memory,
                           const std::vector<Scheduler>& schedulers) {
  if (!knows_ets_tables(layout) || !layout.scheduler_data.ets_count().present())
    return {false, "the layout does not have them"};
  const auto all = normal(schedulers);
  std::size_t contradictions = 0, tables = 0;
  for (const auto scheduler : all) {
    const auto look = look_at_tables(layout, memory, scheduler);
    contradictions += look.contradicts;
    tables += look.tables;
  }
  return {contradictions == 0 && tables > 0,
          std::to_string(tables) + " tables are where they are counted, " +
              of(contradictions, all.size()) + " have others than they count"};
}

}  // namespace beam_exporter::beam
