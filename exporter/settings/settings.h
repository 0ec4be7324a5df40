#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/log.h"
#include "os/perf/perf_event.h"
#include "os/result.h"
#include "sampling/sample_source.h"

// Everything a user can set, with its default. A new setting is one line here and one in
// setting_list.h; config/beam_exporter.yaml must then show it (a test checks that). load_settings
// (command_line.h) makes this, the composition root reads it. Plain data.
namespace beam_exporter::settings {

using sampling::SourceChoice;

struct Settings {
  struct Target {
    int pid = 0;        // 0: the only VM there is
    std::string match;  // regular expression (RE2) for its command line; empty: any
    friend bool operator==(const Target&, const Target&) = default;
  } target;

  struct Sampling {
    SourceChoice source = SourceChoice::automatic;
    int frequency = 99;  // samples of each thread per second of its CPU time
    // Only tools ask for it: a profile then has the functions of the kernel too.
    os::KernelStacks kernel_stacks = os::KernelStacks::left_out;
    friend bool operator==(const Sampling&, const Sampling&) = default;
  } sampling;

  struct Functions {
    int top = 50;  // series by self time; the rest is `other`
    int inclusive_top = 50;
    friend bool operator==(const Functions&, const Functions&) = default;
  } functions;

  struct Blame {
    // Native functions, or families of them, whose CPU time is split by Erlang function.
    std::vector<std::string> functions{"copy_struct", "garbage_collect"};
    int top = 50;  // series for each of them
    friend bool operator==(const Blame&, const Blame&) = default;
  } blame;

  struct Processes {
    int top = 20;  // series by CPU time; the rest is `other`
    friend bool operator==(const Processes&, const Processes&) = default;
  } processes;

  struct Growth {
    bool enabled = false;  // puts breakpoints into the VM's code (uprobes)
    int top = 20;          // series for each allocator; the rest is `other`
    friend bool operator==(const Growth&, const Growth&) = default;
  } growth;

  struct Snapshot {
    std::chrono::milliseconds interval{1000};
    friend bool operator==(const Snapshot&, const Snapshot&) = default;
  } snapshot;

  // The collectors: each looks at the whole VM on its own timer.
  struct Memory {
    bool enabled = true;
    std::chrono::milliseconds interval{5000};  // between reads of the allocators' statistics
    bool instances = true;                     // series for each instance of an allocator
    bool carriers = true;                      // look at every carrier
    std::chrono::milliseconds carrier_interval{30000};
    friend bool operator==(const Memory&, const Memory&) = default;
  } memory;

  struct ProcessScan {
    bool enabled = true;
    std::chrono::milliseconds interval{10000};
    int top = 10;  // series by heap size, and as many by message queue length
    friend bool operator==(const ProcessScan&, const ProcessScan&) = default;
  } process_scan;

  struct Vitals {
    bool enabled = true;
    std::chrono::milliseconds interval{5000};
    friend bool operator==(const Vitals&, const Vitals&) = default;
  } vitals;

  struct Layouts {
    std::string directory;  // layout files here replace built-in ones; empty: none
    friend bool operator==(const Layouts&, const Layouts&) = default;
  } layouts;

  struct Builds {
    std::string directory;        // symbol files of stripped builds; empty: none
    std::string debuginfod_urls;  // servers that have debug files, blanks between; empty: none
    std::vector<std::string> force_registers;  // of an interpreter: "E=r13"
    friend bool operator==(const Builds&, const Builds&) = default;
  } builds;

  struct Web {
    std::vector<std::string> listen_addresses{":10125"};
    std::string telemetry_path = "/metrics";
    std::string config_file;  // TLS and basic auth: not supported yet, so empty
    int max_requests = 40;    // at once; 0: no limit
    bool disable_exporter_metrics = false;
    friend bool operator==(const Web&, const Web&) = default;
  } web;

  struct Log {
    log::Level level = log::Level::info;
    log::Format format = log::Format::logfmt;
    friend bool operator==(const Log&, const Log&) = default;
  } log;

  friend bool operator==(const Settings&, const Settings&) = default;
};

// A flag that the user gave: the key of its setting ("sampling.frequency"), the flag, and its
// values in order.
struct GivenFlag {
  std::string key;
  std::string flag;
  std::vector<std::string> values;
};

// The defaults, changed by a YAML text. `name` is the file name in errors. Unknown keys are errors.
os::Result<Settings> parse_settings(std::string_view text, const std::string& name);
// The same for a file.
os::Result<Settings> read_settings(const std::string& path);
os::Status apply_flags(const std::vector<GivenFlag>& flags, Settings& settings);

// The settings after a reload: `running`, with those values of `fresh` that take effect at once.
Settings after_reload(const Settings& running, const Settings& fresh);

// Keys whose values differ and are only read at start, in the order of the settings file.
std::vector<std::string> needs_restart(const Settings& old, const Settings& fresh);

// Every key and its value as text, in the order of the settings file.
std::vector<std::pair<std::string, std::string>> spelled(const Settings& settings);

}  // namespace beam_exporter::settings
