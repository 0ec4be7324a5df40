#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "beam/schedulers/vitals.h"
#include "beam/virtual_machine.h"
#include "collectors/memory_figures.h"
#include "os/memory/process_memory.h"
#include "os/memory/process_memory_file.h"
#include "os/monotonic_clock.h"

// scan_costs PID TIMES [mem]: runs each reader TIMES times back to back on the VM and prints one
// JSON object: cost of each (microseconds: least and median; pieces of memory read; bytes), torn
// and failed scans, and for each allocator the least and greatest sums seen. "mem": by way of
// /proc/PID/mem.
namespace {

using namespace beam_exporter;

class CountingMemory final : public os::Memory {
 public:
  explicit CountingMemory(std::unique_ptr<os::Memory> memory) : memory_(std::move(memory)) {}
  bool read(os::Address from, std::span<std::byte> into) const override {
    ++pieces;
    bytes += into.size();
    return memory_->read(from, into);
  }
  void read_batch(std::span<os::ReadRequest> requests) const override {
    pieces += requests.size();
    for (const auto& request : requests) bytes += request.into.size();
    memory_->read_batch(requests);
  }
  mutable std::uint64_t pieces = 0, bytes = 0;

 private:
  std::unique_ptr<os::Memory> memory_;
};

struct Cost {
  std::vector<double> microseconds;
  std::uint64_t pieces = 0, bytes = 0, failed = 0, torn = 0, items = 0;
};

template <class Scan>
void measure(CountingMemory& memory, Cost& cost, Scan scan) {
  memory.pieces = memory.bytes = 0;
  const auto begin = os::monotonic_now();
  if (!scan()) ++cost.failed;
  cost.microseconds.push_back(
      std::chrono::duration<double, std::micro>(os::monotonic_now() - begin).count());
  cost.pieces = memory.pieces;
  cost.bytes = memory.bytes;
}

struct Range {
  double low = 1e300, high = -1;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

void print(const char* name, Cost& cost) {
  std::ranges::sort(cost.microseconds);
  std::printf(
      "\"%s\": {\"least_us\": %.1f, \"median_us\": %.1f, \"pieces\": %lu, \"bytes\": %lu, "
      "\"items\": %lu, \"failed\": %lu, \"torn\": %lu}, ",
      name, cost.microseconds.front(), cost.microseconds[cost.microseconds.size() / 2], cost.pieces,
      cost.bytes, cost.items, cost.failed, cost.torn);
}

std::unique_ptr<os::Memory> memory_of(pid_t pid, bool by_file) {
  if (!by_file) return std::make_unique<os::ProcessMemory>(pid);
  auto file = os::ProcessMemoryFile::open(pid);
  return file ? std::move(*file) : nullptr;
}

int fail(const std::string& text) {
  std::fprintf(stderr, "scan_costs: %s\n", text.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const bool by_file = count == 4 && std::string(arguments[3]) == "mem";
  if (count != 3 && !by_file) return fail("usage: scan_costs PID TIMES [mem]");
  const auto process = os::Process::open(std::atoi(arguments[1]));
  const int times = std::atoi(arguments[2]);
  const auto library = beam::LayoutLibrary::load();
  if (!process || !library || times < 1) return fail("no such process, or no TIMES");
  auto live = memory_of(process->pid(), by_file);
  if (live == nullptr) return fail("cannot open /proc/PID/mem");
  CountingMemory memory(std::move(live));
  auto vm = beam::VirtualMachine::attach(*process, memory, *library, os::monotonic_now);
  if (!vm) return fail(vm.error().text);
  const auto& layout = (*vm)->layout();
  const auto set = beam::find_allocators(layout, (*vm)->static_data(), memory);
  if (!set) return fail(set.error().text);
  beam::AllocatorReader reader(layout, memory, *set);
  beam::VitalsReader vitals(layout, (*vm)->static_data(), memory, (*vm)->schedulers());
  const auto processes = (*vm)->static_data().symbol("erts_proc");
  if (!processes) return fail("no erts_proc");

  Cost statistics, walk, scan, counts;
  std::map<std::string, std::map<std::string, Range>> seen;
  for (int k = 0; k < times; ++k) {
    measure(memory, statistics, [&] {
      const auto read = reader.read();
      if (!read) return false;
      statistics.items = read->size();
      for (const auto& one : collectors::allocator_section(*set, *read).allocators) {
        double carriers = 0, blocks = 0;
        for (const auto& kind : one.by_kind) {
          carriers += kind.carrier_bytes;
          blocks += kind.block_bytes;
        }
        seen[one.allocator]["carriers_bytes"].take(carriers);
        seen[one.allocator]["blocks_bytes"].take(blocks);
      }
      return true;
    });
    statistics.torn = reader.retries();
    measure(memory, walk, [&] {
      const auto found = beam::walk_carriers(layout, memory, *set, reader);
      walk.torn += found.retries;
      walk.items = found.carriers.size();
      return found.whole;
    });
    measure(memory, counts, [&] { return vitals.read().has_value(); });
    if (k % 10 != 0) continue;
    measure(memory, scan, [&] {
      const auto found = beam::scan_processes(layout, memory, *processes, [](const auto&) {});
      if (!found) return false;
      scan.torn += found->torn;
      scan.items = found->processes;
      return true;
    });
  }
  std::printf("{");
  print("statistics", statistics);
  print("carriers", walk);
  print("vitals", counts);
  print("processes", scan);
  std::printf("\"seen\": {");
  const char* between = "";
  for (const auto& [allocator, sums] : seen) {
    std::printf("%s\"%s\": {", between, allocator.c_str());
    between = "";
    for (const auto& [name, range] : sums) {
      std::printf("%s\"%s\": [%.0f, %.0f]", between, name.c_str(), range.low, range.high);
      between = ", ";
    }
    std::printf("}");
    between = ", ";
  }
  std::printf("}}\n");
  return 0;
}
