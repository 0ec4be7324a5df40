// Attaches to a VM and proves its layout many times, as the exporter does once: how many of the
// tries were refused, and why.
//
// attach_times PID TIMES [RELEASE [STRUCT]]: prints one line of JSON. The layout of RELEASE, such
// as 25, is tried on the VM instead of its own, or only that of one struct: Process or ErtsPTab.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "beam/layout_check.h"
#include "os/memory/process_memory.h"

namespace {

using namespace beam_exporter;

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

struct WrongLayout {
  std::string release, part;
};

// Empty when it was attached to and proven.
std::string refusal(pid_t pid, const beam::LayoutLibrary& library, const WrongLayout& wrong) {
  const auto process = os::Process::open(pid);
  if (!process) return process.error().text;
  const os::ProcessMemory memory(pid);
  auto description = beam::VirtualMachine::describe(*process, library);
  if (!description) return description.error().text;
  if (!wrong.release.empty()) {
    const auto other = library.find({wrong.release, "", "jit", "x86_64"});
    if (!other) return other.error().text;
    if (wrong.part == "Process")
      description->layout.process = other->process;
    else if (wrong.part == "ErtsPTab")
      description->layout.process_table = other->process_table;
    else
      description->layout = *other;
  }
  const auto vm = beam::VirtualMachine::attach(*process, memory, std::move(*description), now);
  if (!vm) return vm.error().text;
  std::string failed;
  for (const auto& result : beam::check_layout(**vm))
    if (!result.ok) failed += result.name + ": " + result.detail + "; ";
  return failed;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const auto pid = static_cast<pid_t>(std::stol(arguments[1]));
  const long times = std::stol(arguments[2]);
  const auto library = beam::LayoutLibrary::load();
  if (!library) return 1;
  const WrongLayout wrong{count > 3 ? arguments[3] : "", count > 4 ? arguments[4] : ""};
  nlohmann::json refusals = nlohmann::json::array();
  const auto begin = now();
  std::chrono::nanoseconds longest{};
  for (long k = 0; k < times; ++k) {
    const auto start = now();
    if (const auto text = refusal(pid, *library, wrong); !text.empty()) refusals.push_back(text);
    longest = std::max(longest, now() - start);
  }
  const auto ms = [](std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1e6;
  };
  std::cout << nlohmann::json{{"times", times},
                              {"refusals", refusals},
                              {"mean_ms", ms(now() - begin) / static_cast<double>(times)},
                              {"longest_ms", ms(longest)}}
            << "\n";
  return 0;
}
