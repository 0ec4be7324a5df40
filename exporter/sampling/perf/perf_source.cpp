#include "sampling/perf/perf_source.h"

#include <algorithm>
#include <utility>

#include "os/monotonic_clock.h"
#include "os/process/descriptors.h"
#include "sampling/bpf/sample_record.h"

namespace beam_exporter::sampling {

namespace {

// A ring has room for 15 samples with 16 KiB stacks: a sixth of a second at 99 Hz. Threads that
// mostly sleep (there may be a thousand) have room for 3. The small ring is for when we may lock
// little memory (perf_event_mlock_kb without CAP_IPC_LOCK).
constexpr std::size_t ring_pages = 64, sleepers_ring_pages = 16, small_ring_pages = 8;

std::size_t pages_of(beam::ThreadKind kind) {
  const bool busy = kind == beam::ThreadKind::normal || kind == beam::ThreadKind::dirty_cpu;
  return busy ? ring_pages : sleepers_ring_pages;
}

}  // namespace

os::Result<std::unique_ptr<SampleSource>> PerfSource::start(const beam::VirtualMachine& vm,
                                                            unsigned frequency,
                                                            os::KernelStacks kernel) {
  const auto period = std::chrono::nanoseconds(std::chrono::seconds(1)) / frequency;
  std::unique_ptr<PerfSource> source(new PerfSource(vm, period, kernel));
  if (auto watching = source->refresh_threads(); !watching) return watching.error();
  return std::unique_ptr<SampleSource>(std::move(source));
}

os::Status PerfSource::refresh_threads() {
  native_.update_objects();
  auto refreshed = choice_.refresh(
      vm_->process().directory(), os::monotonic_now(),
      [this](const VmThread& thread) { return watch(thread.tid, thread.role); },
      [this](pid_t tid) { watched_.erase(tid); });
  list_descriptors();
  return refreshed;
}

os::Status PerfSource::watch(pid_t tid, beam::ThreadRole role) {
  auto event =
      os::open_sampling_event(tid, period_, os::SampleContent::registers_and_stack, kernel_);
  if (!event) return event.error();
  if (auto left = os::leaves_reserve(event->fd); !left) return left;
  auto ring = os::PerfRing::map(event->fd.get(), pages_of(role.kind), kernel_);
  if (!ring) ring = os::PerfRing::map(event->fd.get(), small_ring_pages, kernel_);
  if (!ring) return ring.error();
  sees_kernel_ &= event->sees_kernel;
  os::enable_sampling(*event);
  watched_.emplace(tid, Watched{role, vm_->scheduler(role), std::move(*event), std::move(*ring)});
  return os::Done{};
}

void PerfSource::list_descriptors() {
  descriptors_.clear();
  for (const auto& [tid, watched] : watched_)
    descriptors_.push_back({watched.event.fd.get(), POLLIN, 0});
}

// The time since the thread's last sample, as in bpf/stands_for.bpf.h.
std::chrono::nanoseconds PerfSource::stands_for(Watched& watched,
                                                std::chrono::nanoseconds run_time) {
  const auto cpu_time = run_time - std::exchange(watched.sampled, run_time);
  const auto most = period_ * int{most_periods};
  if (cpu_time > most)
    losses_[Loss::missed] += static_cast<std::uint64_t>((cpu_time - most) / period_);
  return std::min(cpu_time, most);
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
          sample.cpu_time = stands_for(watching, seen.run_time);
          sample.kernel = seen.kernel;
          sample.in_kernel = !seen.kernel.empty();
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
