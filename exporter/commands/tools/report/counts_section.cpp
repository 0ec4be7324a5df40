#include "commands/tools/report/sections.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

using Count = std::optional<std::uint64_t>;

void print_count(const char* what, const Count& count, const Count& limit, std::ostream& out) {
  out << text::printed("%-12s", what);
  if (count)
    out << text::printed(" %10llu", static_cast<unsigned long long>(*count));
  else
    out << " not readable on this release";
  if (limit) out << text::printed(" of %10llu", static_cast<unsigned long long>(*limit));
  if (count && limit && *limit > 0)
    out << text::printed(" (%.1f %%)",
                         100 * static_cast<double>(*count) / static_cast<double>(*limit));
  out << "\n";
}

}  // namespace

void print_counts(const ReportSubject& subject, std::ostream& out) {
  print_heading("3. Counts and limits", out);
  if (!subject.vitals) {
    out << "not readable: the VM's counters and run queues changed or cannot be read\n";
    return;
  }
  const auto& vitals = *subject.vitals;
  print_count("processes", vitals.processes, vitals.process_limit, out);
  print_count("ports", vitals.ports, vitals.port_limit, out);
  print_count("atoms", vitals.atoms, vitals.atom_limit, out);
  print_count("ETS tables", vitals.ets_tables, vitals.ets_limit, out);
  out << "The limit of ETS tables is only a guide of the VM.\n\n";
  for (const auto& kind : vitals.schedulers)
    out << name_of(kind.kind) << " schedulers: " << kind.all << ", " << kind.online << " online\n";
  std::uint64_t waiting = 0;
  for (const auto& queue : vitals.run_queues) waiting += queue.length;
  out << "run queues: " << waiting << " waiting for a scheduler\n";
  for (const auto& queue : vitals.run_queues)
    if (queue.length > 0)
      out << "  " << name_of(queue.kind)
          << (queue.scheduler > 0 ? " " + std::to_string(queue.scheduler) : "") << ": "
          << queue.length << "\n";
}

}  // namespace beam_exporter::commands
