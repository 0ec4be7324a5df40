#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "settings/setting_value.h"
#include "settings/settings.h"

// Every setting once: its key in the file, its flag, and the values it may have. The YAML reader,
// the flags, --help, reloads and the tests all use this one list. Called by settings.cpp and
// command_line.cpp.
namespace beam_exporter::settings {

enum class TakesEffect { at_once, at_restart };  // on a reload

struct Setting {
  std::string_view key;    // "sampling.frequency": a dot is one level of nesting in the file
  std::string_view flag;   // empty: the setting is only in the file
  std::string_view value;  // the name of the value in --help; empty for a switch
  TakesEffect when;
  std::string_view meaning;
};

inline constexpr std::array<Choice<SourceChoice>, 4> source_choices{
    {{"auto", SourceChoice::automatic},
     {"ebpf", SourceChoice::ebpf},
     {"tick", SourceChoice::tick},
     {"perf", SourceChoice::perf}}};

inline constexpr std::array<Choice<log::Level>, 4> level_choices{{{"debug", log::Level::debug},
                                                                  {"info", log::Level::info},
                                                                  {"warn", log::Level::warn},
                                                                  {"error", log::Level::error}}};

inline constexpr std::array<Choice<log::Format>, 2> format_choices{
    {{"logfmt", log::Format::logfmt}, {"json", log::Format::json}}};

// Calls visit(setting, value, rule...) for each setting. `set`, `text_of` and `allowed` take the
// rule.
template <class Self, class Visit>
void for_each_setting(Self&& s, Visit&& visit) {
  using enum TakesEffect;
  using std::chrono::milliseconds;
  constexpr yaml::WholeRange pids{0, 4194304};  // PID_MAX_LIMIT
  constexpr yaml::WholeRange series{1, 10000};

  visit(Setting{"target.pid", "--target.pid", "PID", at_restart,
                "process id of the VM; 0: the only beam.smp of the machine"},
        s.target.pid, pids);
  visit(Setting{"target.match", "--target.match", "REGEX", at_restart,
                "regular expression that the VM's command line must match"},
        s.target.match, TextRule{regular_expression});

  visit(Setting{"sampling.source", "--sampling.source", "SOURCE", at_restart,
                "how samples are taken"},
        s.sampling.source, Choices<SourceChoice>{source_choices});
  visit(Setting{"sampling.frequency", "--sampling.frequency", "HZ", at_once,
                "samples of each thread per second of its CPU time"},
        s.sampling.frequency, yaml::WholeRange{1, 10000});

  visit(
      Setting{"functions.top", "", "", at_once, "functions with series of their own, by self time"},
      s.functions.top, series);
  visit(Setting{"functions.inclusive_top", "", "", at_once,
                "functions with series of their own, by inclusive time"},
        s.functions.inclusive_top, series);

  visit(Setting{"blame.functions", "", "", at_once,
                "native functions or families whose CPU time is split by Erlang function"},
        s.blame.functions, TextRule{native_function});
  visit(Setting{"blame.top", "", "", at_once,
                "Erlang functions with series, for each blamed native function"},
        s.blame.top, series);

  visit(
      Setting{"processes.top", "", "", at_once, "processes with series of their own, by CPU time"},
      s.processes.top, series);

  visit(Setting{"growth.enabled", "", "", at_restart,
                "see new carriers, by breakpoints in the VM's code (uprobes)"},
        s.growth.enabled);
  visit(Setting{"growth.top", "", "", at_once, "Erlang functions with series, for each allocator"},
        s.growth.top, series);

  visit(Setting{"snapshot.interval", "", "", at_restart, "how often a new snapshot is published"},
        s.snapshot.interval, yaml::DurationRange{milliseconds{100}, std::chrono::minutes{1}});

  constexpr yaml::DurationRange scans{milliseconds{100}, std::chrono::hours{1}};
  visit(Setting{"memory.enabled", "", "", at_once, "read the VM's allocators"}, s.memory.enabled);
  visit(Setting{"memory.interval", "", "", at_once, "how often their statistics are read"},
        s.memory.interval, scans);
  visit(Setting{"memory.instances", "", "", at_once, "series for each instance of an allocator"},
        s.memory.instances);
  visit(Setting{"memory.carriers", "", "", at_once, "look at every carrier"}, s.memory.carriers);
  visit(Setting{"memory.carrier_interval", "", "", at_once, "how often every carrier is looked at"},
        s.memory.carrier_interval, scans);

  visit(Setting{"process_scan.enabled", "", "", at_once, "read every process's heap and queue"},
        s.process_scan.enabled);
  visit(Setting{"process_scan.interval", "", "", at_once, "how often"}, s.process_scan.interval,
        scans);
  visit(Setting{"process_scan.top", "", "", at_once,
                "largest processes with series of their own, by heap and by queue"},
        s.process_scan.top, yaml::WholeRange{0, 1000});

  visit(Setting{"vitals.enabled", "", "", at_once, "read counts, limits and run queues"},
        s.vitals.enabled);
  visit(Setting{"vitals.interval", "", "", at_once, "how often"}, s.vitals.interval, scans);

  visit(Setting{"layouts.directory", "--layouts.directory", "FOLDER", at_restart,
                "folder of layout files that replace built-in ones"},
        s.layouts.directory, TextRule{any_text});

  visit(Setting{"builds.directory", "--builds.directory", "FOLDER", at_restart,
                "folder of symbol files, for stripped executables and libraries"},
        s.builds.directory, TextRule{any_text});
  visit(Setting{"builds.debuginfod_urls", "--builds.debuginfod-urls", "URLS", at_restart,
                "debuginfod servers to ask for debug files of what is stripped; blanks between"},
        s.builds.debuginfod_urls, TextRule{server_urls});
  visit(Setting{"builds.force_registers", "--force-register", "NAME=PLACE", at_restart,
                "where an interpreter that does not tell keeps I or E, as E=r13; repeatable"},
        s.builds.force_registers, TextRule{forced_register});

  visit(Setting{"web.listen_addresses", "--web.listen-address", "ADDRESS", at_restart,
                "address to listen on; repeatable; port 0: any free port, which is logged"},
        s.web.listen_addresses, TextRule{listen_address});
  visit(Setting{"web.telemetry_path", "--web.telemetry-path", "PATH", at_restart,
                "path of the metrics"},
        s.web.telemetry_path, TextRule{url_path});
  visit(Setting{"web.config_file", "--web.config.file", "FILE", at_restart,
                "TLS and basic auth: not supported yet"},
        s.web.config_file, TextRule{web_config_file});
  visit(Setting{"web.max_requests", "--web.max-requests", "N", at_restart,
                "most scrapes answered at once; 0: no limit"},
        s.web.max_requests, yaml::WholeRange{0, 10000});
  visit(Setting{"web.disable_exporter_metrics", "--web.disable-exporter-metrics", "", at_restart,
                "leave out the metrics about the exporter itself"},
        s.web.disable_exporter_metrics);

  visit(Setting{"log.level", "--log.level", "LEVEL", at_once, "the least severe level logged"},
        s.log.level, Choices<log::Level>{level_choices});
  visit(Setting{"log.format", "--log.format", "FORMAT", at_once, "how a log line is written"},
        s.log.format, Choices<log::Format>{format_choices});
}

}  // namespace beam_exporter::settings
