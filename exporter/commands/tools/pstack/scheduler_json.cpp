#include <nlohmann/json.hpp>

#include "commands/tools/pstack/scheduler_report.h"
#include "commands/tools/share_text.h"

namespace beam_exporter::commands {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> origin_names = {"none", "sample", "blocked", "memory"};

void add_text(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

Json running_json(const session::SchedulerStack& scheduler) {
  Json json = {{"id", scheduler.process}};
  add_text(json, "name", scheduler.name);
  add_text(json, "status", scheduler.status);
  return json;
}

Json stack_json(const session::SchedulerStack& scheduler, const SchedulerChoice& choice) {
  Json json = {{"kind", name_of(scheduler.role.kind)},
               {"number", scheduler.role.number},
               {"runs", scheduler.runs() || scheduler.port},
               {"seen_by", origin_names[static_cast<std::size_t>(scheduler.origin)]}};
  if (scheduler.tid) json["tid"] = *scheduler.tid;
  add_text(json, "state", scheduler.state);
  if (!scheduler.process.empty()) json["process"] = running_json(scheduler);
  if (scheduler.port) json["port"] = true;
  if (scheduler.seen_for) json["for_seconds"] = seconds(*scheduler.seen_for);
  if (scheduler.origin == session::StackOrigin::sample ||
      scheduler.origin == session::StackOrigin::blocked)
    json["seconds_ago"] = seconds(scheduler.ago);
  if (scheduler.sleep_flags) json["sleep_flags"] = *scheduler.sleep_flags;
  if (scheduler.kernel) {
    json["kernel_state"] = std::string(1, scheduler.kernel->letter);
    add_text(json, "kernel_place", scheduler.kernel->place);
  }
  add_text(json, "last_seen_in", scheduler.last_seen_in);
  json["frames"] = Json::array();
  for (const auto& line : scheduler.lines)
    if (!choice.only_erlang || line.kind != profile::FunctionKind::native)
      json["frames"].push_back(
          {{"frame", line.text},
           {"kind", profile::function_kind_names[static_cast<std::size_t>(line.kind)]}});
  return json;
}

}  // namespace

std::string scheduler_json(const SchedulerReport& report, const SchedulerChoice& choice) {
  Json json = {{"target", report.target}, {"sampled", report.sampled}};
  if (report.sampled) json["duration_seconds"] = seconds(report.window);
  json["ended_early"] = report.ended_early;
  json["schedulers"] = Json::array();
  for (const auto& scheduler : report.schedulers)
    if (choice.all || scheduler.runs() || scheduler.port)
      json["schedulers"].push_back(stack_json(scheduler, choice));
  // A label of a process may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace beam_exporter::commands
