#include "collectors/memory_look.h"
#include "commands/tools/memory_report.h"
#include "commands/tools/report/sections.h"
#include "session/attached_vm.h"

namespace beam_exporter::commands {

void print_memory_section(const ReportSubject& subject, std::ostream& out) {
  print_heading("6. Memory", out);
  const auto facts = collectors::look_at_memory(subject.vm);
  if (!subject.from_core()) {
    print_memory(session::describe(subject.vm), facts, out);
    return;
  }
  // A verdict compares with the resident memory, and a core does not tell it.
  out << "not readable: the resident memory and the limit of the control group. They are in /proc, "
         "so a core has\nneither a composition nor a verdict.\n";
  if (facts.allocators.empty())
    for (const auto& what : facts.unread) out << "not readable: " << what << "\n";
  print_free_in_carriers(facts, out);
}

}  // namespace beam_exporter::commands
