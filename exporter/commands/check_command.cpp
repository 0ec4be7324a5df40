#include "commands/check_command.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "beam/neighbour_layouts.h"
#include "beam/part_checks.h"
#include "beam/target.h"
#include "os/monotonic_clock.h"
#include "session/attached_vm.h"

namespace beam_exporter::commands {

namespace {

constexpr auto between_tries = std::chrono::milliseconds(50);

os::Result<CheckReport> check_once(const os::Process& process, const beam::LayoutLibrary& library) {
  const auto attached = session::attach_to(process, library);
  if (!attached) return attached.error();
  auto& vm = *attached->vm;
  CheckReport report{.pid = process.pid(),
                     .layout = vm.layout().origin,
                     .symbols = session::symbols_of(vm),
                     .build_id = vm.image().build_id(),
                     .release = vm.release(),
                     .results = beam::check_layout(vm),
                     .doubt = beam::layout_doubt(vm)};
  if (beam::all_ok(report.results)) {
    report.parts = beam::check_parts(vm);
    std::ranges::move(beam::check_held(vm), std::back_inserter(report.parts));
  }
  return report;
}

}  // namespace

os::Result<CheckReport> check_target(const os::Process& process,
                                     const beam::LayoutLibrary& library) {
  const auto first_try = os::monotonic_now();
  for (;;) {
    // The process may be another program by now: erl is a script that becomes the VM.
    const auto now = os::Process::open(process.pid());
    if (!now) return now.error();
    auto report = check_once(*now, library);
    if (report && beam::all_ok(report->results)) return report;
    const auto failure = report ? os::ErrorKind::malformed : report.error().kind;
    if (!beam::may_be_starting(*now, failure, first_try)) return report;
    std::this_thread::sleep_for(between_tries);
  }
}

std::string check_text(const CheckReport& report) {
  std::string text = "pid " + std::to_string(report.pid) + ": OTP " + report.release.otp_release +
                     ", ERTS " + report.release.erts_version + ", " + report.release.flavor +
                     (report.release.build == "opt" ? "" : ", " + report.release.build) +
                     ", layout " + report.layout + "\nbuild id " +
                     (report.build_id.empty() ? "none" : report.build_id) +
                     ", symbols: " + report.symbols + "\n";
  const auto add = [&](const beam::CheckResult& result, const char* otherwise) {
    std::string name = result.name;
    name.resize(16, ' ');
    text += (result.ok ? "ok      " : otherwise) + name + result.detail + "\n";
  };
  for (const auto& result : report.results) add(result, "failed  ");
  for (const auto& part : report.parts) add(part, "off     ");
  if (!report.doubt.empty()) text += "note    " + report.doubt + "\n";
  return text;
}

std::string check_json(const CheckReport& report) {
  nlohmann::ordered_json json = {{"pid", report.pid},
                                 {"otp_release", report.release.otp_release},
                                 {"erts_version", report.release.erts_version},
                                 {"flavor", report.release.flavor},
                                 {"build", report.release.build},
                                 {"layout", report.layout},
                                 {"symbols", report.symbols},
                                 {"build_id", report.build_id},
                                 {"ok", beam::all_ok(report.results)},
                                 {"checks", nlohmann::ordered_json::array()},
                                 {"parts", nlohmann::ordered_json::array()}};
  if (!report.doubt.empty()) json["note"] = report.doubt;
  const auto add = [&](const char* list, const std::vector<beam::CheckResult>& results) {
    for (const auto& result : results)
      json[list].push_back({{"name", result.name}, {"ok", result.ok}, {"detail", result.detail}});
  };
  add("checks", report.results);
  add("parts", report.parts);
  return json.dump(2) + "\n";
}

}  // namespace beam_exporter::commands
