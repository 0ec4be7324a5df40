#include "web/pages/overview.h"

#include <nlohmann/json.hpp>

#include "beam/layout/release.h"

namespace beam_exporter::web {

namespace {

using Json = nlohmann::json;

template <class Value>
void put(Json& object, const char* name, const std::optional<Value>& value) {
  if (value) object[name] = *value;
}

double seconds_since_epoch(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Json vm(const totals::Snapshot& snapshot) {
  const auto& info = *snapshot.vm;
  Json out = {{"otp_release", info.otp_release},
              {"erts_version", info.erts_version},
              {"flavor", info.flavor},
              {"layout", info.layout},
              {"build_id", info.build_id},
              {"build", beam::build_text(info.otp_release, info.erts_version, info.flavor)}};
  if (const auto& process = snapshot.process) {
    out["pid"] = process->pid;
    put(out, "start_time_seconds", process->start_time_seconds);
    put(out, "threads", process->threads);
    put(out, "open_fds", process->open_fds);
    put(out, "max_fds", process->max_fds);
  }
  return out;
}

Json sampling(const totals::Snapshot& snapshot) {
  Json out = {{"complaint", snapshot.own.sampling_complaint},
              {"samples", snapshot.samples.total},
              {"lost", snapshot.samples.lost},
              {"unattributed", snapshot.samples.unattributed}};
  for (const char* source : {"ebpf", "tick", "perf"}) {
    const auto feature = snapshot.own.features.find(source);
    if (feature != snapshot.own.features.end() && feature->second) out["source"] = source;
  }
  return out;
}

Json functions(const std::vector<totals::FunctionTime>& times) {
  Json out = Json::array();
  for (const auto& one : times)
    out.push_back({{"module", one.module}, {"function", one.function}, {"seconds", one.seconds}});
  return out;
}

Json schedulers(const std::vector<totals::SchedulerTime>& times) {
  Json out = Json::array();
  for (const auto& one : times) {
    Json states = Json::object();
    for (std::size_t k = 0; k < one.seconds.size(); ++k)
      if (one.known[k]) states[std::string(attribution::state_names[k])] = one.seconds[k];
    Json scheduler = {
        {"kind", beam::name_of(one.kind)}, {"number", one.number}, {"seconds", std::move(states)}};
    put(scheduler, "utilization", one.utilization);
    out.push_back(std::move(scheduler));
  }
  return out;
}

void put_sampled(Json& out, const totals::Snapshot& snapshot) {
  out["schedulers"] = schedulers(snapshot.schedulers);
  out["functions"] = functions(snapshot.functions);
  out["inclusive_functions"] = functions(snapshot.inclusive_functions);
  out["bifs"] = functions(snapshot.bifs);
  out["nifs"] = functions(snapshot.nifs);
  put(out, "nif_time_ratio", snapshot.nif_time_ratio);
  out["blame"] = Json::array();
  for (const auto& blame : snapshot.blame)
    out["blame"].push_back({{"native", blame.native}, {"functions", functions(blame.functions)}});
  out["processes"] = Json::array();
  for (const auto& one : snapshot.process_times)
    out["processes"].push_back({{"process", one.process}, {"seconds", one.seconds}});
}

Json allocators(const totals::AllocatorSection& section) {
  Json out = Json::array();
  for (const auto& one : section.allocators) {
    double carriers = 0, blocks = 0;
    for (const auto& kind : one.by_kind) {
      carriers += kind.carrier_bytes;
      blocks += kind.block_bytes;
    }
    out.push_back(
        {{"allocator", one.allocator}, {"carrier_bytes", carriers}, {"block_bytes", blocks}});
  }
  return out;
}

Json fragmentation(const std::vector<totals::FragmentationFigures>& figures) {
  Json out = Json::array();
  for (const auto& one : figures) {
    Json allocator = {{"allocator", one.allocator},
                      {"carriers", one.carriers},
                      {"pooled_carriers", one.pooled_carriers},
                      {"free_bytes", one.free_bytes}};
    put(allocator, "largest_free_block_bytes", one.largest_free_block_bytes);
    put(allocator, "fragmentation_ratio", one.fragmentation_ratio);
    put(allocator, "carrier_fragmentation_ratio", one.carrier_fragmentation_ratio);
    out.push_back(std::move(allocator));
  }
  return out;
}

Json named(const std::vector<totals::NamedProcess>& processes, const char* unit) {
  Json out = Json::array();
  for (const auto& one : processes) out.push_back({{"process", one.name}, {unit, one.value}});
  return out;
}

Json vitals(const beam::Vitals& vitals) {
  Json out = {{"run_queues", Json::array()}, {"schedulers", Json::array()}};
  put(out, "processes", vitals.processes);
  put(out, "process_limit", vitals.process_limit);
  put(out, "ports", vitals.ports);
  put(out, "port_limit", vitals.port_limit);
  put(out, "atoms", vitals.atoms);
  put(out, "atom_limit", vitals.atom_limit);
  put(out, "ets_tables", vitals.ets_tables);
  put(out, "ets_limit", vitals.ets_limit);
  for (const auto& queue : vitals.run_queues)
    out["run_queues"].push_back({{"kind", beam::name_of(queue.kind)},
                                 {"scheduler", queue.scheduler},
                                 {"length", queue.length}});
  for (const auto& count : vitals.schedulers)
    out["schedulers"].push_back(
        {{"kind", beam::name_of(count.kind)}, {"all", count.all}, {"online", count.online}});
  return out;
}

void put_figures(Json& out, const totals::VmFigures& figures) {
  Json memory = Json::object();
  if (figures.memory) {
    memory["resident_bytes"] = figures.memory->resident;
    memory["virtual_bytes"] = figures.memory->virtual_size;
  }
  if (figures.resident_parts) memory["resident_parts"] = figures.resident_parts->by_part;
  if (const auto& section = figures.allocators) {
    memory["carrier_bytes"] = section->carrier_bytes;
    memory["block_bytes"] = section->block_bytes;
    put(memory, "mseg_cache_bytes", section->cached_segment_bytes);
    out["allocators"] = allocators(*section);
  }
  out["memory"] = std::move(memory);
  if (figures.fragmentation) out["fragmentation"] = fragmentation(*figures.fragmentation);
  if (const auto& processes = figures.processes) {
    out["largest_heaps"] = named(processes->largest_heaps, "bytes");
    out["longest_queues"] = named(processes->longest_queues, "messages");
  }
  if (figures.vitals) out["vitals"] = vitals(*figures.vitals);
}

}  // namespace

std::string overview_json(const totals::Snapshot& snapshot) {
  Json out = {{"version", 1},
              {"number", snapshot.number},
              {"taken_seconds", seconds_since_epoch(snapshot.taken)},
              {"up", snapshot.up},
              {"restarts", snapshot.target_restarts},
              {"features", snapshot.own.features}};
  if (!snapshot.up) out["down_reason"] = snapshot.down_reason;
  if (snapshot.vm) out["vm"] = vm(snapshot);
  put(out, "cpu_user_seconds", snapshot.vm_cpu_user_seconds);
  put(out, "cpu_system_seconds", snapshot.vm_cpu_system_seconds);
  out["sampling"] = sampling(snapshot);
  if (snapshot.sampled) put_sampled(out, snapshot);
  if (snapshot.figures != nullptr) put_figures(out, *snapshot.figures);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace beam_exporter::web
