#include <nlohmann/json.hpp>

#include "beam/processes/process_id.h"
#include "beam/processes/process_name.h"
#include "commands/tools/heap/heap_report.h"

namespace beam_exporter::commands {

namespace {

// Of what is not known, nothing is said; of what is not whole, the least.
void add_amount(nlohmann::ordered_json& row, const std::string& name,
                const std::optional<beam::Amount>& amount) {
  if (amount) row[amount->whole ? name : name + "_at_least"] = amount->bytes;
}

nlohmann::ordered_json row_json(beam::VirtualMachine& vm, const HeapReport& report,
                                const HeapRow& one) {
  const auto name = beam::process_name(vm.layout(), vm.memory(), vm.atoms(), one.process);
  nlohmann::ordered_json row = {{"process", beam::process_id_text(report.scan.ids, one.process.id)},
                                {"name", name.value_or("?")},
                                {"heap_bytes", one.process.heap_bytes},
                                {"messages", one.process.messages}};
  if (one.process.reductions) row["reductions"] = *one.process.reductions;
  add_amount(row, "memory_bytes", one.held.memory);
  add_amount(row, "binary_bytes", one.held.binaries);
  if (one.grown) row["grown"] = *one.grown;
  return row;
}

}  // namespace

void print_heaps_json(beam::VirtualMachine& vm, const HeapReport& report, std::size_t limit,
                      std::ostream& out) {
  nlohmann::ordered_json json = {{"processes", report.rows.size()},
                                 {"heap_bytes", report.heap_bytes},
                                 {"messages", report.messages},
                                 {"came_or_went", report.scan.torn},
                                 {"messages_not_in_heap_bytes", report.scan.unmeasured_messages},
                                 {"largest", nlohmann::ordered_json::array()}};
  const auto measured = holdings_for(report.key);
  if (measured.memory || measured.binaries) json["changed_whenever_measured"] = report.given_up;
  for (std::size_t k = 0; k < report.rows.size() && k < limit; ++k)
    json["largest"].push_back(row_json(vm, report, report.rows[k]));
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace beam_exporter::commands
