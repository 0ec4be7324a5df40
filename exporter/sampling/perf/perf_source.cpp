#include "sampling/perf/perf_source.h"

#include "os/monotonic_clock.h"
#include "os/process/descriptors.h"

namespace beam_exporter::sampling {

namespace {

// 16 KiB stacks, 15 samples deep: a sixth of a second at 99 Hz. Threads that mostly sleep, of which
// there may be a thousand, have room for 3. The small one is for a tight allowance of locked memory
// (perf_event_mlock_kb without CAP_IPC_LOCK).
constexpr std::size_t ring_pages = 64, sleepers_ring_pages = 16, small_ring_pages = 8;

std::size_t pages_of(beam::ThreadKind kind) {
  const bool busy = kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu;
  return busy ? ring_pages : sleepers_ring_pages;
}

const beam::Scheduler* scheduler_of(const beam::VirtualMachine& vm, beam::ThreadRole role) {
  for (const auto& scheduler : vm.schedulers())
    if (scheduler.role == role) return &scheduler;
  return nullptr;
}

}  // namespace

os::Result<std::unique_ptr<SampleSource>> PerfSource::start(const beam::VirtualMachine& vm,
                                                            unsigned frequency) {
  const auto period = std::chrono::nanoseconds(std::chrono::seconds(1)) / frequency;
  std::unique_ptr<PerfSource> source(new PerfSource(vm, period));
  if (auto watching = source->refresh_threads(); !watching) return watching.error();
  return std::unique_ptr<SampleSource>(std::move(source));
}

os::Status PerfSource::refresh_threads() {
  native_.update_objects();
  const auto refreshed = choice_.refresh(
      vm_->process().directory(), os::monotonic_now(),
      [this](const VmThread& thread) { return watch(thread.tid, thread.role); },
      [this](pid_t tid) { watched_.erase(tid); });
  list_descriptors();
  return refreshed;
}

os::Status PerfSource::watch(pid_t tid, beam::ThreadRole role) {
  auto event = os::open_sampling_event(tid, period_);
  if (!event) return event.error();
  if (auto left = os::leaves_reserve(event->fd); !left) return left;
  auto ring = os::PerfRing::map(event->fd.get(), pages_of(role.kind));
  if (!ring) ring = os::PerfRing::map(event->fd.get(), small_ring_pages);
  if (!ring) return ring.error();
  sees_kernel_ &= event->sees_kernel;
  os::enable_sampling(*event);
  watched_.emplace(tid,
                   Watched{role, scheduler_of(*vm_, role), std::move(*event), std::move(*ring)});
  return os::Done{};
}

void PerfSource::list_descriptors() {
  descriptors_.clear();
  for (const auto& [tid, watched] : watched_)
    descriptors_.push_back({watched.event.fd.get(), POLLIN, 0});
}

void PerfSource::collect(SampleBatch& batch) {
  for (auto& [tid, watched] : watched_) {
    losses_[Loss::ring_full] +=
        watched.ring.drain([&, &watching = watched](const os::PerfSample& seen) {
          if (!seen.has_registers) {
            ++losses_[Loss::no_user_state];
            return;
          }
          RawSample& sample = batch.next_sample();
          sample.role = watching.role;
          sample.cpu_time = period_;
          reader_.complete(seen, watching.scheduler, sample);
        });
  }
}

std::vector<beam::ThreadRole> PerfSource::roles() const {
  std::vector<beam::ThreadRole> roles;
  for (const auto& [tid, watched] : watched_) roles.push_back(watched.role);
  return roles;
}

}  // namespace beam_exporter::sampling
