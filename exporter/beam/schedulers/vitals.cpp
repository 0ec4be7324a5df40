#include "beam/schedulers/vitals.h"

#include <algorithm>

#include "beam/layout/remote_struct.h"
#include "beam/schedulers/sleep_flags.h"

namespace beam_exporter::beam {

namespace {

// DB_DEF_MAX_TABS, erl_db.h (OTP 25 and 27): init_db in erl_db.c raises a smaller request to it.
constexpr std::uint64_t least_ets_limit = 8192;
// ERTS_PTAB_MAX_SIZE, erl_ptab.h (OTP 25 and 27). A table of this size reserves one slot for itself
// (erts_ptab_count, erl_ptab.h).
constexpr std::uint64_t most_ports_or_processes = 1u << 27;
// A larger number of waiting tasks is not a queue length.
constexpr std::uint64_t longest_queue = std::uint64_t{1} << 31;

}  // namespace

VitalsReader::VitalsReader(const Layout& layout, const StaticData& data, const os::Memory& memory,
                           const std::vector<Scheduler>& schedulers)
    : layout_(&layout),
      memory_(&memory),
      all_schedulers_(&schedulers),
      processes_(data.symbol("erts_proc")),
      ports_(data.symbol("erts_port")),
      atoms_(data.symbol("erts_atom_table")),
      requested_ets_limit_(data.symbol("user_requested_db_max_tabs")),
      dirty_collections_(data.symbol("dirty_gc.info.garbage_cols")) {
  for (const auto& scheduler : schedulers)
    if (scheduler.role.kind == ThreadKind::normal) schedulers_.push_back(scheduler.data);
  for (const auto& scheduler : schedulers)
    sleep_flags_.push_back({scheduler.role.kind, scheduler.sleep_flags});
  if (!std::ranges::all_of(sleep_flags_, &SleepFlags::at)) sleep_flags_.clear();
  find_run_queues(schedulers);
}

void VitalsReader::find_run_queues(const std::vector<Scheduler>& schedulers) {
  for (const auto& scheduler : schedulers) {
    const auto queue =
        read_field(*memory_, scheduler.data, layout_->scheduler_data.run_queue).value_or(0);
    const bool known = std::ranges::find(queues_, queue, &Queue::at) != queues_.end();
    if (queue == 0 || known) continue;
    const bool normal = scheduler.role.kind == ThreadKind::normal;
    queues_.push_back({scheduler.role.kind, normal ? scheduler.role.number : 0, queue});
  }
}

void VitalsReader::prove() {
  const auto once = [this](PartProof& part, auto proof) {
    if (!part.ok) part = proof(*layout_, *memory_, *all_schedulers_);
  };
  once(proofs_.io, prove_io);
  once(proofs_.reductions, prove_reductions);
  once(proofs_.ets_tables, prove_ets_tables);
}

std::optional<Vitals> VitalsReader::read() {
  Vitals vitals;
  prove();
  if (!read_run_queues(vitals) || !read_schedulers(vitals)) return std::nullopt;
  read_online(vitals);
  read_tables(vitals);
  return vitals;
}

void VitalsReader::read_tables(Vitals& vitals) const {
  const auto table = [&](std::optional<os::Address> at, auto& count, auto& limit) {
    if (!at) return;
    const auto& fields = layout_->process_table;
    const auto max = read_field(*memory_, *at, fields.max);
    const auto now = read_field(*memory_, *at, fields.count);
    if (!max || !now || *max > most_ports_or_processes) return;
    const std::uint64_t kept = *max == most_ports_or_processes ? 1 : 0;
    limit = *max - kept;
    count = std::min<std::uint64_t>(*now > kept ? *now - kept : 0, *limit);
  };
  table(processes_, vitals.processes, vitals.process_limit);
  table(ports_, vitals.ports, vitals.port_limit);
  if (atoms_) {
    const auto& fields = layout_->index_table;
    const auto entries = read_field(*memory_, *atoms_, fields.entries);
    const auto limit = read_field(*memory_, *atoms_, fields.limit);
    if (entries && limit && *entries <= *limit) {
      vitals.atoms = *entries;
      vitals.atom_limit = *limit;
    }
  }
  if (requested_ets_limit_)
    if (const auto requested = memory_->value<std::int32_t>(*requested_ets_limit_))
      vitals.ets_limit =
          std::max(least_ets_limit, static_cast<std::uint64_t>(std::max(*requested, 0)));
}

bool VitalsReader::read_run_queues(Vitals& vitals) const {
  const auto& fields = layout_->run_queue;
  std::vector<std::byte> bytes(queues_.size() * fields.size);
  std::vector<os::ReadRequest> requests;
  for (std::size_t k = 0; k < queues_.size(); ++k)
    requests.push_back({queues_[k].at, std::span(bytes).subspan(k * fields.size, fields.size)});
  memory_->read_batch(requests);
  std::uint64_t reductions = 0, switches = 0;
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    if (!requests[k].ok) return false;
    const StructBytes queue(requests[k].into);
    const std::uint64_t length = queue.get(fields.length).value_or(longest_queue);
    if (length >= longest_queue) return false;
    vitals.run_queues.push_back({queues_[k].kind, queues_[k].scheduler, length});
    reductions += queue.get(fields.reductions).value_or(0);
    switches += queue.get(fields.context_switches).value_or(0);
  }
  if (queues_.empty() || !proofs_.reductions.ok) return true;
  vitals.reductions = reductions;
  vitals.context_switches = switches;
  return true;
}

void VitalsReader::read_online(Vitals& vitals) const {
  std::vector<std::uint32_t> flags(sleep_flags_.size());
  std::vector<os::ReadRequest> requests;
  for (std::size_t k = 0; k < flags.size(); ++k)
    requests.push_back({sleep_flags_[k].at, os::bytes_of(flags[k])});
  memory_->read_batch(requests);
  if (std::ranges::any_of(requests, [](const auto& request) { return !request.ok; })) return;
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (vitals.schedulers.empty() || vitals.schedulers.back().kind != sleep_flags_[k].kind)
      vitals.schedulers.push_back({.kind = sleep_flags_[k].kind});
    ++vitals.schedulers.back().all;
    if ((flags[k] & sleep_flags::suspended) == 0) ++vitals.schedulers.back().online;
  }
}

bool VitalsReader::read_schedulers(Vitals& vitals) const {
  const auto& fields = layout_->scheduler_data;
  const auto& ets = fields.ets_count();
  const std::vector<Field<std::uint64_t>> wanted = {
      fields.io_in, fields.io_out, fields.collections, {ets.offset, ets.width}};
  if (std::ranges::any_of(wanted, [](const auto& field) { return !field.present(); })) return true;
  std::vector<std::uint64_t> values((schedulers_.size() * wanted.size()) + 1);
  std::vector<os::ReadRequest> requests;
  for (std::size_t k = 0; k < schedulers_.size(); ++k)
    for (std::size_t f = 0; f < wanted.size(); ++f)
      requests.push_back({wanted[f].at(schedulers_[k]),
                          os::bytes_of(values[k * wanted.size() + f]).first(wanted[f].width)});
  if (dirty_collections_) requests.push_back({*dirty_collections_, os::bytes_of(values.back())});
  memory_->read_batch(requests);
  if (std::ranges::any_of(requests, [](const auto& request) { return !request.ok; })) return false;
  std::array<std::uint64_t, 4> sums{};
  for (std::size_t k = 0; k + 1 < values.size(); ++k) sums[k % wanted.size()] += values[k];
  if (proofs_.io.ok) {
    vitals.io_in = sums[0];
    vitals.io_out = sums[1];
  }
  // Without the collections on dirty schedulers, the number would differ from the VM's own. Those
  // of the others lie between what two proofs are about (ErtsSchedulerData, OTP 24 to 29).
  if (dirty_collections_ && proofs_.reductions.ok && proofs_.ets_tables.ok)
    vitals.collections = sums[2] + values.back();
  if (proofs_.ets_tables.ok) vitals.ets_tables = sums[3];
  return true;
}

}  // namespace beam_exporter::beam
