#include <algorithm>

#include "beam/processes/process_id.h"
#include "beam/processes/process_name.h"
#include "commands/tools/heap/heap_report.h"
#include "text/bytes.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

// `bytes`: of any integer type.
std::string heap_bytes_text(auto bytes) { return text::bytes_text(static_cast<double>(bytes)); }

std::string amount_text(const std::optional<beam::Amount>& amount) {
  if (!amount) return "?";
  return (amount->whole ? "" : "> ") + heap_bytes_text(amount->bytes);
}

std::string grown_text(const HeapRow& row, HeapKey key) {
  if (!row.grown) return "?";
  const bool counts = key == HeapKey::messages || key == HeapKey::reductions;
  return counts ? std::to_string(*row.grown) : heap_bytes_text(*row.grown);
}

void print_summary(const HeapReport& report, std::ostream& out) {
  out << report.rows.size() << " processes, " << heap_bytes_text(report.heap_bytes) << " of heap, "
      << report.messages << " messages";
  if (report.scan.torn > 0) out << "; " << report.scan.torn << " came or went during the look";
  if (report.given_up > 0) out << "; " << report.given_up << " changed whenever they were measured";
  out << "\n\n";
}

void print_spread(const HeapReport& report, std::ostream& out) {
  const auto most = *std::ranges::max_element(report.spread);
  constexpr std::uint64_t widest_bar = 50;
  for (std::size_t k = 0; k < report.spread.size(); ++k) {
    if (report.spread[k] == 0) continue;
    out << text::printed("  < %10s %9llu ", heap_bytes_text(std::int64_t{1024} << k).c_str(),
                         static_cast<unsigned long long>(report.spread[k]))
        << std::string(1 + report.spread[k] * widest_bar / most, '#') << "\n";
  }
}

}  // namespace

void print_heaps(beam::VirtualMachine& vm, const HeapReport& report, std::size_t limit,
                 std::ostream& out) {
  const auto measured = holdings_for(report.key);
  const bool reductions = vm.layout().process.reductions.present();
  print_summary(report, out);
  print_spread(report, out);
  out << "\n        heap   messages" << (reductions ? "    reductions" : "")
      << (measured.memory ? "       memory" : "") << (measured.binaries ? "     binaries" : "")
      << (report.compared ? "       grown" : "") << "  process\n";
  for (std::size_t k = 0; k < report.rows.size() && k < limit; ++k) {
    const auto& row = report.rows[k];
    out << text::printed("%12s %10llu", heap_bytes_text(row.process.heap_bytes).c_str(),
                         static_cast<unsigned long long>(row.process.messages));
    if (reductions)
      out << text::printed(" %13llu",
                           static_cast<unsigned long long>(row.process.reductions.value_or(0)));
    if (measured.memory) out << text::printed(" %12s", amount_text(row.held.memory).c_str());
    if (measured.binaries) out << text::printed(" %12s", amount_text(row.held.binaries).c_str());
    if (report.compared) out << text::printed(" %11s", grown_text(row, report.key).c_str());
    out << "  " << beam::process_id_text(report.scan.ids, row.process.id) << " "
        << beam::process_name(vm.layout(), vm.memory(), vm.atoms(), row.process).value_or("?")
        << "\n";
  }
}

}  // namespace beam_exporter::commands
