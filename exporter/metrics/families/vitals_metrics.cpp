#include <string>

#include "metrics/families/families.h"

namespace beam_exporter::metrics {
namespace {

void append_counts(const beam::Vitals& vitals, Families& out) {
  const auto gauge = [&](std::string_view name, std::optional<std::uint64_t> value) {
    if (value) FamilyBuilder(name).add({}, static_cast<double>(*value)).append_to(out);
  };
  gauge("beam_processes", vitals.processes);
  gauge("beam_processes_limit", vitals.process_limit);
  gauge("beam_ports", vitals.ports);
  gauge("beam_ports_limit", vitals.port_limit);
  gauge("beam_atoms", vitals.atoms);
  gauge("beam_atoms_limit", vitals.atom_limit);
  gauge("beam_ets_tables", vitals.ets_tables);
  gauge("beam_ets_tables_limit", vitals.ets_limit);
  FamilyBuilder schedulers("beam_schedulers"), online("beam_schedulers_online");
  for (const auto& count : vitals.schedulers) {
    schedulers.add({beam::name_of(count.kind)}, static_cast<double>(count.all));
    online.add({beam::name_of(count.kind)}, static_cast<double>(count.online));
  }
  schedulers.append_to(out);
  online.append_to(out);
  FamilyBuilder queues("beam_run_queue_length");
  for (const auto& queue : vitals.run_queues)
    queues.add({beam::name_of(queue.kind),
                queue.scheduler == 0 ? "shared" : std::to_string(queue.scheduler)},
               static_cast<double>(queue.length));
  queues.append_to(out);
}

}  // namespace

Families vitals_metrics(const totals::Snapshot& snapshot) {
  Families out;
  if (snapshot.figures != nullptr && snapshot.figures->vitals)
    append_counts(*snapshot.figures->vitals, out);
  const auto& counters = snapshot.counters;
  FamilyBuilder("beam_reductions_total").add({}, counters.reductions).append_to(out);
  FamilyBuilder("beam_context_switches_total").add({}, counters.context_switches).append_to(out);
  FamilyBuilder("beam_garbage_collections_total")
      .add({}, counters.garbage_collections)
      .append_to(out);
  FamilyBuilder("beam_io_bytes_total")
      .add({"input"}, counters.io_in_bytes)
      .add({"output"}, counters.io_out_bytes)
      .append_to(out);
  return out;
}

}  // namespace beam_exporter::metrics
