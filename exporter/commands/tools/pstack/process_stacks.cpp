#include "commands/tools/pstack/process_stacks.h"

#include <nlohmann/json.hpp>

#include "session/views/process_profile.h"
#include "session/views/process_view.h"

namespace beam_exporter::commands {

namespace {

nlohmann::ordered_json all_json(const profile::ProcessProfile& all, std::size_t limit) {
  const auto groups = profile::process_groups(all, profile::ProcessOrder::processes);
  nlohmann::ordered_json json = {{"processes", all.processes},
                                 {"running", all.running},
                                 {"without_stack", all.without_stack},
                                 {"not_read", all.torn},
                                 {"lost", all.lost},
                                 {"different_stacks", groups.size()},
                                 {"stacks", nlohmann::ordered_json::array()}};
  for (std::size_t k = 0; k < groups.size() && k < limit; ++k)
    json["stacks"].push_back({{"processes", groups[k].processes}, {"frames", groups[k].frames}});
  return json;
}

std::string one_json(const session::ProcessView& one) {
  const nlohmann::ordered_json json = {{"process", one.id},        {"name", one.name},
                                       {"status", one.status},     {"heap_bytes", one.heap_bytes},
                                       {"messages", one.messages}, {"frames", one.frames}};
  // A label may hold any bytes.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void print_text(const session::ProcessView& one, std::ostream& out) {
  out << one.id << " " << one.name << ": " << one.status << ", " << one.heap_bytes
      << " bytes of heap, " << one.messages << " messages\n";
  for (const auto& frame : one.frames) out << "    " << frame << "\n";
  if (one.frames.empty()) out << "    no stack: it runs, hibernates, or begins\n";
}

}  // namespace

os::Status print_all_processes(const ToolContext& context, beam::VirtualMachine& vm,
                               std::size_t limit) {
  const auto all = session::process_profile(vm);
  if (!all) return all.error();
  if (context.format == OutputFormat::json)
    context.out << all_json(*all, limit).dump(2) << "\n";
  else
    context.out << profile::process_text(*all, profile::ProcessOrder::processes, limit);
  return os::Done{};
}

os::Status print_one_process(const ToolContext& context, beam::VirtualMachine& vm,
                             const std::string& who) {
  const auto one = session::process_view(vm, who);
  if (!one) return one.error();
  if (context.format == OutputFormat::json)
    context.out << one_json(*one) << "\n";
  else
    print_text(*one, context.out);
  return os::Done{};
}

}  // namespace beam_exporter::commands
