#include <sys/utsname.h>

#include <array>
#include <chrono>
#include <ctime>
#include <map>

#include "commands/tools/report/sections.h"
#include "os/process/process_stat.h"
#include "os/process/threads.h"
#include "session/attached_vm.h"
#include "text/bytes.h"
#include "text/printed.h"

namespace beam_exporter::commands {

namespace {

std::string utc_text(std::time_t when) {
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(seconds);
  return text::printed("%lld d %02lld:%02lld:%02lld", whole / 86400, whole / 3600 % 24,
                       whole / 60 % 60, whole % 60);
}

void print_descriptors(const os::ProcessStat& stat, std::ostream& out) {
  out << "open files:   ";
  if (stat.open_fds)
    out << *stat.open_fds;
  else
    out << "not readable: no right to /proc/PID/fd";
  out << " (limit " << (stat.max_fds ? std::to_string(*stat.max_fds) : "not known") << ")\n";
}

void print_process(const os::Process& process, std::ostream& out) {
  const auto executable = process.executable_path(), command = process.command_line();
  out << "executable:   " << (executable.empty() ? "not readable: /proc/PID/exe" : executable)
      << "\ncommand line: " << (command.empty() ? "not readable: /proc/PID/cmdline" : command)
      << "\n";
  const auto stat = os::read_process_stat(process.directory());
  if (!stat) {
    out << "uptime, threads, open files: not readable: " << stat.error().text << "\n";
    return;
  }
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  out << "uptime:       " << duration_text(now.count() - stat->start_time_seconds) << ", since "
      << utc_text(static_cast<std::time_t>(stat->start_time_seconds)) << "\n"
      << text::printed("CPU time:     %.2f s user, %.2f s system\n", stat->user_seconds,
                       stat->system_seconds)
      << "memory:       " << text::bytes_text(static_cast<double>(stat->resident_bytes))
      << " resident\n";
  std::map<char, int> states;
  for (const auto& thread : os::threads_of(process.directory()))
    if (const auto state = os::kernel_state_of(process.directory(), thread.tid))
      ++states[state->letter];
  out << "threads:      " << stat->threads << " (";
  const char* between = "";
  for (const auto& [letter, threads] : states) {
    out << between << threads << " " << letter;
    between = ", ";
  }
  out << "; R runs, S sleeps, D waits for a device, T is stopped)\n";
  print_descriptors(*stat, out);
}

}  // namespace

void print_heading(const char* heading, std::ostream& out) {
  const std::string line(std::string_view(heading).size(), '=');
  out << "\n" << heading << "\n" << line << "\n";
}

void print_vm(const ReportSubject& subject, std::ostream& out) {
  const auto& vm = subject.vm;
  print_heading("1. The VM", out);
  out << "looked at:    " << utc_text(std::time(nullptr)) << "\n"
      << "by:           beam_exporter " << subject.exporter << "\n"
      << "VM:           " << session::describe(vm) << "\n"
      << "layout:       " << vm.layout().origin << "\n";
  if (!subject.complaint.empty()) out << "note:         " << subject.complaint << "\n";
  utsname kernel{};
  const bool known = ::uname(&kernel) == 0;
  if (!subject.from_core()) {
    out << "kernel:       " << (known ? kernel.release : "not readable: uname") << "\n";
    print_process(vm.process(), out);
    return;
  }
  out << "from a core:  " << subject.core << "\n"
      << "not readable: command line, uptime, threads, open files, kernel of the VM: they are in "
         "/proc, and the process has ended\n";
}

}  // namespace beam_exporter::commands
