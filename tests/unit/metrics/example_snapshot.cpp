#include "unit/metrics/example_snapshot.h"

#include <chrono>
#include <iterator>

#include "metrics/families/process_metrics.h"
#include "metrics/families/snapshot_collector.h"

namespace beam_exporter::metrics {

totals::Snapshot example_snapshot() {
  using attribution::State;
  totals::Snapshot snapshot;
  snapshot.taken = std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000123456));
  snapshot.up = true;
  snapshot.vm = {"25", "13.1.5", "jit", "dwarf", "6fd1c7d1"};
  snapshot.process = {4711, 1700000000.25, 31, 18, 1048576};
  snapshot.vm_cpu_user_seconds = 123.45;
  snapshot.vm_cpu_system_seconds = 0;
  snapshot.target_restarts = 2;

  totals::SchedulerTime scheduler;
  scheduler.number = 1;
  const auto set = [&](State state, double seconds) {
    scheduler.seconds[static_cast<std::size_t>(state)] = seconds;
    scheduler.known[static_cast<std::size_t>(state)] = true;
  };
  set(State::emulator, 10.125);
  set(State::other, 0.1);
  set(State::sleep, 1e9);
  scheduler.utilization = 0.625;
  snapshot.schedulers.push_back(scheduler);
  scheduler.kind = attribution::ThreadKind::dirty_cpu;
  scheduler.number = 12;
  snapshot.schedulers.push_back(scheduler);

  snapshot.functions = {{"lists", "foldl/3", 12.34},
                        {"odd \"mod\"", "back\\slash\nline/0", 1},
                        {"gr\xc3\xbc\xc3\x9f", "\xf0\x9f\x98\x80/1", 0.25},
                        {"bad\xff", "nul\0x/2", 5e-324},
                        {"", "other", 100}};
  snapshot.functions[3].function = std::string("nul\0x/2", 7);
  snapshot.inclusive_functions = {{"lists", "foldl/3", 20}, {"", "other", 100}};
  snapshot.bifs = {{"ets", "insert/2", 3.5}, {"", "other", 0.5}};
  snapshot.nifs = {{"crypto", "hash_nif/2", 7}, {"", "unexported at a \"b\".so+0x12", 1}};
  snapshot.nif_time_ratio = 0.125;
  snapshot.nif_hold_seconds = {{0.001, 0.1}, {3, 2, 1}, 0.75};
  snapshot.growth = {{"binary_alloc", {{"shop", "render/2", 1048576}, {"", "other", 0}}}};
  snapshot.blame = {{"copy_struct", {{"shop", "send_all/1", 2.5}, {"", "other", 0}}},
                    {"garbage_collect", {{"lists", "foldl/3", 1}, {"", "none", 0.25}}}};
  snapshot.process_times = {{"shop_server", 4}, {"other", 1.5}};
  snapshot.samples.total = 12000;
  snapshot.samples.lost = {{"ring_full", 3}, {"throttled", 0}};
  snapshot.samples.unattributed = {{"unknown_code", 1}};
  snapshot.samples.read_delay_seconds = {{1e-6, 0.0001, 0.25, 1, 2.5e6}, {5, 4, 3, 2, 1, 1}, 12.5};
  totals::VmFigures figures;
  totals::AllocatorSection allocators;
  allocators.allocators = {
      {"eheap_alloc", {{{3, 393216, 12, 196608}, {1, 1048576, 1, 1000000}, {}}}}};
  allocators.instances = {{"eheap_alloc", 1, 1441792, 1196608, 196000, 131072}};
  allocators.enabled = {{"eheap_alloc", true}, {"temp_alloc", false}};
  allocators.carrier_bytes = 1441792;
  allocators.block_bytes = 1196608;
  allocators.cached_segment_bytes = 524288;
  figures.allocators = allocators;
  figures.fragmentation = {
      {"eheap_alloc", 5, 2, 262144, 131072, 0.5, 0.25, {{0.5, 1}, {3, 2, 0}, 1.75}}};
  figures.memory = totals::MemorySection{38834176, 2151903232};
  figures.resident_parts = totals::ResidentParts{38834176,
                                                 22372352,
                                                 12271616,
                                                 {{"carriers", 12271616},
                                                  {"literal_area", 1081344},
                                                  {"mseg_cache", 425984},
                                                  {"other", 8413184}}};
  figures.vitals = beam::Vitals{.processes = 244,
                                .process_limit = 262144,
                                .ports = 5,
                                .port_limit = 65536,
                                .atoms = 9192,
                                .atom_limit = 1048576,
                                .ets_tables = 22,
                                .ets_limit = 8192,
                                .run_queues = {{attribution::ThreadKind::normal, 1, 3},
                                               {attribution::ThreadKind::dirty_io, 0, 0}},
                                .schedulers = {{attribution::ThreadKind::normal, 2, 1},
                                               {attribution::ThreadKind::dirty_io, 10, 10}}};
  figures.processes = totals::ProcessSection{{{1024, 4096}, {1, 2, 3}, 1000000},
                                             {{0, 10}, {5, 0, 1}, 1000000},
                                             17,
                                             {{"code_server", 149744}},
                                             {{"shop_cart:init/1", 1000000}}};
  snapshot.figures = std::make_shared<const totals::VmFigures>(figures);
  snapshot.counters = {1127511, 2377, 834, 26, 36};
  snapshot.own.features = {{"ebpf", false}, {"perf_events", true}};
  snapshot.own.collectors = {{"allocators", {0.002, true, 1700000120.5}},
                             {"processes", {0.03, false}}};
  snapshot.own.torn_reads = {{"processes", 7}};
  snapshot.own.unwatched_threads = {0, 0, 930, 0, 0, 1};
  snapshot.own.sampling_runs = 123456;
  snapshot.own.sampling_seconds = 0.75;
  return snapshot;
}

BuildInfo example_build() { return {"0.1.0", "abc123", "gcc 12.2.0"}; }

Families example_families() {
  auto all = snapshot_families(example_snapshot(), example_build());
  os::ProcessStat stat;
  stat.user_seconds = 1.5;
  stat.system_seconds = 0.5;
  stat.start_time_seconds = 1700000001.5;
  stat.virtual_bytes = 123456789;
  stat.resident_bytes = 16777216;
  stat.open_fds = 42;
  stat.max_fds = 1024;
  stat.max_virtual_bytes = 1ull << 40;
  auto own = process_metrics(stat);
  all.insert(all.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  return all;
}

}  // namespace beam_exporter::metrics
