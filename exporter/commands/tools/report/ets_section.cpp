#include <algorithm>

#include "beam/ets_tables.h"
#include "beam/processes_of_vm.h"
#include "commands/tools/report/sections.h"
#include "text/bytes.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

void print_table(const beam::EtsTable& table, const std::optional<beam::ProcessIdForm>& ids,
                 std::ostream& out) {
  out << text::printed("%10s %10llu  ", text::bytes_text(static_cast<double>(*table.bytes)).c_str(),
                       static_cast<unsigned long long>(*table.objects))
      << table.name << " (" << table.kind << ", " << table.protection << "), of "
      << (ids ? beam::process_id_text(*ids, table.owner) : "a process") << "\n";
}

}  // namespace

void print_ets(const ReportSubject& subject, std::ostream& out) {
  print_heading("7. ETS tables", out);
  const auto all = beam::ets_tables(subject.vm);
  if (!all) {
    out << "not readable: " << all.error().text << "\n";
    return;
  }
  auto tables = all->tables;
  const auto apart = static_cast<std::size_t>(
      std::erase_if(tables, [](const beam::EtsTable& table) { return !table.bytes; }));
  double bytes = 0;
  for (const auto& table : tables) bytes += static_cast<double>(*table.bytes);
  out << all->tables.size() << " tables; " << tables.size() << " of them have "
      << text::bytes_text(bytes) << "\n";
  if (apart > 0)
    out << apart << " count for each scheduler apart (decentralized_counters): not measured\n";
  if (all->broken_lists > 0)
    out << "not readable: the tables of " << all->broken_lists
        << " schedulers, they came and went while they were read; some are missing here\n";
  out << "\nThe largest, by the memory that ets:info/2 tells (without binaries of 65 bytes and "
         "more), and their objects:\n";
  std::ranges::stable_sort(tables, std::ranges::greater{}, &beam::EtsTable::bytes);
  if (tables.size() > subject.limit) tables.resize(subject.limit);
  const auto processes = beam::process_table(subject.vm);
  const auto ids = processes ? std::optional(processes->id_form()) : std::nullopt;
  for (const auto& table : tables) print_table(table, ids, out);
}

}  // namespace beam_exporter::commands
