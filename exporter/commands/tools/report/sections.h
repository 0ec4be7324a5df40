#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "beam/schedulers/vitals.h"
#include "beam/virtual_machine.h"

// The parts of `beam_exporter report`. Each prints its heading and what it could read, and says
// what it could not read and why. None of them needs what another one has read. One thread.
namespace beam_exporter::commands {

struct ReportSubject {
  beam::VirtualMachine& vm;
  std::string core;       // the file; "": the VM is a process
  std::string exporter;   // ToolContext::exporter
  std::string complaint;  // AttachedVm::complaint
  std::size_t limit = 0;  // of each list
  std::optional<beam::Vitals> vitals;

  bool from_core() const { return !core.empty(); }
};

void print_heading(const char* heading, std::ostream& out);
void print_vm(const ReportSubject& subject, std::ostream& out);
void print_schedulers(const ReportSubject& subject, std::ostream& out);
void print_counts(const ReportSubject& subject, std::ostream& out);
void print_processes(const ReportSubject& subject, std::ostream& out);
void print_stacks(const ReportSubject& subject, std::ostream& out);
void print_memory_section(const ReportSubject& subject, std::ostream& out);
void print_ets(const ReportSubject& subject, std::ostream& out);

}  // namespace beam_exporter::commands
