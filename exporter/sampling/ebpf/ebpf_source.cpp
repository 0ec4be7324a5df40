#include "sampling/ebpf/ebpf_source.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <bit>

#include "os/monotonic_clock.h"
#include "os/perf/function_entry_event.h"
#include "os/process/descriptors.h"
#include "os/process/threads.h"
#include "sampling/ebpf/thread_place.h"

namespace beam_exporter::sampling {

namespace {

// Per CPU, room for a busy second at 99 Hz, within bounds; samples that find no room are counted.
// The ring is mapped twice, and so counts twice in our resident memory.
constexpr std::size_t ring_bytes_per_cpu = 256 << 10, smallest_ring = 4 << 20,
                      largest_ring = 8 << 20;

constexpr std::chrono::milliseconds quiet_wait{50}, loading_wait{2};
constexpr std::chrono::seconds loading_lasts{2};

using Kind = beam::CarrierFunction::Kind;
static_assert(int{carrier_segment_alloc} == static_cast<int>(Kind::segment_alloc) &&
              int{carrier_system_alloc} == static_cast<int>(Kind::system_alloc) &&
              int{carrier_segment_realloc} == static_cast<int>(Kind::segment_realloc) &&
              int{carrier_system_realloc} == static_cast<int>(Kind::system_realloc));
static_assert(carrier_kind + 1U == beam::CarrierFunction::kinds);
static_assert(std::size_t{most_carrier_calls} == beam::CarrierEntries::most_calls);

// By the number of CPUs, not of threads: only threads that run fill the ring.
std::size_t ring_bytes() {
  const auto cpus = static_cast<std::size_t>(get_nprocs());
  return std::bit_ceil(std::clamp(cpus * ring_bytes_per_cpu, smallest_ring, largest_ring));
}

}  // namespace

EbpfSource::EbpfSource(const beam::VirtualMachine& vm, std::unique_ptr<EbpfProgram> program,
                       std::chrono::nanoseconds period)
    : vm_(&vm), period_(period), native_(vm), reader_(vm, native_), program_(std::move(program)) {
  descriptors_.push_back({program_->descriptor(), POLLIN, 0});
}

os::Result<std::unique_ptr<EbpfProgram>> EbpfSource::load(const beam::VirtualMachine& vm,
                                                          unsigned frequency,
                                                          EbpfProgram::Trigger trigger,
                                                          os::KernelStacks kernel) {
  const auto& process = vm.process();
  return EbpfProgram::load(
      {.trigger = trigger,
       .layout = &vm.layout(),
       .interpreter = vm.interpreter(),
       .frame_pointers = vm.frame_pointers(),
       .active_code_index = vm.code_place().active_index,
       .ring_bytes = ring_bytes(),
       .pid_namespace = os::pid_namespace(process.directory()),
       .pid_inside = os::innermost_tid(process.directory(), process.pid()).value_or(0),
       .period = std::chrono::nanoseconds(std::chrono::seconds(1)) / frequency,
       .kernel_stacks = kernel});
}

os::Result<std::unique_ptr<EbpfSource>> EbpfSource::start(const beam::VirtualMachine& vm,
                                                          unsigned frequency,
                                                          os::KernelStacks kernel) {
  auto program = load(vm, frequency, EbpfProgram::Trigger::thread_events, kernel);
  if (!program) return program.error();
  const auto period = std::chrono::nanoseconds(std::chrono::seconds(1)) / frequency;
  std::unique_ptr<EbpfSource> source(new EbpfSource(vm, std::move(*program), period));
  if (auto watching = source->refresh_threads(); !watching) return watching.error();
  return source;
}

os::Status EbpfSource::refresh_threads() {
  native_.update_objects();
  for (auto& [tid, watched] : watched_)
    if (!watched.stack_known || moved(watched)) refresh_place(tid, watched);
  auto refreshed = choice_.refresh(
      vm_->process().directory(), os::monotonic_now(),
      [this](const VmThread& thread) { return watch(thread.tid, thread.role); },
      [this](pid_t tid) { watched_.erase(tid); });
  by_index_.clear();
  for (const auto& [tid, watched] : watched_) by_index_.emplace(watched.index, &watched);
  return refreshed;
}

os::Status EbpfSource::watch(pid_t tid, beam::ThreadRole role) {
  if (watched_.size() == most_threads)
    return os::Error{
        os::ErrorKind::unsupported,
        "the eBPF program follows at most this many threads: " + std::to_string(most_threads)};
  const auto* scheduler = vm_->scheduler(role);
  const watched_thread place = thread_place(*vm_, native_, tid, scheduler);
  Watched watched{.role = role,
                  .scheduler = scheduler,
                  .index = unused_index(),
                  .stack_known = place.stack_high != 0,
                  .runtime_stack = place.runtime_stack};
  if (auto begun = begin(tid, watched, place); !begun) return begun.error();
  watched_.emplace(tid, std::move(watched));
  return os::Done{};
}

// Keep descriptors_per_thread in step with the descriptors that this function leaves open.
os::Status EbpfSource::begin(pid_t tid, Watched& watched, const watched_thread& place) {
  auto event = os::open_sampling_event(tid, period_, os::SampleContent::nothing);
  if (!event) return event.error();
  if (!event->sees_kernel)
    return os::Error{os::ErrorKind::not_permitted, "eBPF sampling is refused: add CAP_PERFMON"};
  auto attachment = program_->attach(event->fd.get(), watched.index, place);
  if (!attachment) return attachment.error();
  if (auto left = os::leaves_reserve(event->fd); !left) return left;
  if (auto left = os::leaves_reserve(attachment->descriptor()); !left) return left;
  watched.attachment = std::move(*attachment);
  if (auto switches = os::open_switch_event(tid))
    if (auto attached = program_->attach_switches(switches->get(), watched.index)) {
      if (auto left = os::leaves_reserve(*switches); !left) return left;
      if (auto left = os::leaves_reserve(attached->descriptor()); !left) return left;
      os::enable_event(*switches);
      watched.switch_event = std::move(*switches);
      watched.switches = std::move(*attached);
    }
  os::enable_sampling(*event);
  if (const auto inside = os::innermost_tid(vm_->process().directory(), tid))
    program_->set_index_of_thread(static_cast<std::uint32_t>(*inside), watched.index);
  return os::Done{};
}

// Samples of a thread may still arrive after it has ended: its index is reused as late as possible.
std::uint32_t EbpfSource::unused_index() {
  do next_index_ = (next_index_ + 1) % most_threads;
  while (std::ranges::any_of(watched_,
                             [&](const auto& entry) { return entry.second.index == next_index_; }));
  return next_index_;
}

os::Status EbpfSource::watch_growth(const beam::CarrierEntries& entries) {
  growth_.clear();
  std::vector<EbpfProgram::Attachment> attached;
  const auto& process = vm_->process();
  for (const auto& call : entries.calls)
    if (auto known = program_->add_carrier_call(call); !known) return known;
  for (const auto& function : entries.functions) {
    const auto* mapping = vm_->memory_map().find(function.address);
    if (mapping == nullptr || !mapping->executable || mapping->inode == 0)
      return os::Error{os::ErrorKind::malformed,
                       "a function that gets carriers is not in code of a file"};
    auto event = os::open_function_entry_event(
        process.pid(), process.directory() / "exe",
        function.address - mapping->range.begin + mapping->file_offset);
    if (!event) return event.error();
    auto attachment = program_->attach_growth(event->get(), function);
    if (!attachment) return attachment.error();
    attached.push_back(std::move(*attachment));
  }
  growth_ = std::move(attached);
  return os::Done{};
}

// The kernel did not tell the stack pointer of a thread that was running when we asked: ask again.
void EbpfSource::refresh_place(pid_t tid, Watched& watched) {
  const watched_thread place = thread_place(*vm_, native_, tid, watched.scheduler);
  watched.stack_known = place.stack_high != 0 && program_->update_thread(watched.index, place);
  watched.runtime_stack = place.runtime_stack;
}

bool EbpfSource::moved(const Watched& watched) const {
  return watched.runtime_stack != runtime_stack_of(native_, watched.scheduler);
}

// Samples that are taken before lack the stack of what the interpreter has called.
void EbpfSource::refresh_frames() {
  if (vm_->interpreter() == nullptr) return;
  for (auto& [tid, watched] : watched_)
    if (moved(watched)) refresh_place(tid, watched);
}

void EbpfSource::set_perf_comparison(PerfComparison comparison) {
  perf_comparison_ = std::move(comparison);
}

std::chrono::milliseconds EbpfSource::longest_wait() const {
  return os::monotonic_now() - code_changed_ < loading_lasts ? loading_wait : quiet_wait;
}

void EbpfSource::collect(SampleBatch& batch) {
  if (vm_->code().generation() != code_generation_) {
    code_generation_ = vm_->code().generation();
    code_changed_ = os::monotonic_now();
  }
  // For a comparison, set an index that no VM has: then every sample wakes us at once.
  program_->set_known_code_index(perf_comparison_ ? ~0u : vm_->code().active_index());
  program_->drain([&](std::span<const std::byte> bytes) {
    const auto head = head_of(bytes);
    const auto watched = head ? by_index_.find(head->thread) : by_index_.end();
    if (watched == by_index_.end()) return;  // the thread has ended
    if (head->growth)
      take_growth(bytes, *watched->second, batch);
    else
      take_sample(bytes, *watched->second, batch);
  });
  refresh_frames();
}

void EbpfSource::take_sample(std::span<const std::byte> bytes, const Watched& watched,
                             SampleBatch& batch) {
  RawSample& sample = batch.next_sample();
  sample.role = watched.role;
  if (!reader_.read(bytes, watched.scheduler, sample)) {
    ++malformed_[Loss::malformed];
    batch.drop_last_sample();
  } else if (perf_comparison_) {
    perf_comparison_(sample, as_perf_sample(bytes), watched.scheduler);
  }
}

void EbpfSource::take_growth(std::span<const std::byte> bytes, const Watched& watched,
                             SampleBatch& batch) {
  GrowthEvent& growth = batch.next_growth();
  growth.role = watched.role;
  if (reader_.read(bytes, watched.scheduler, growth)) return;
  ++malformed_[Loss::malformed];
  batch.drop_last_growth();
}

std::vector<beam::ThreadRole> EbpfSource::roles() const {
  std::vector<beam::ThreadRole> roles;
  for (const auto& [tid, watched] : watched_) roles.push_back(watched.role);
  return roles;
}

Losses EbpfSource::losses() const {
  Losses losses = malformed_;
  const auto costs = program_->costs();
  losses[Loss::ring_full] += costs.dropped;
  losses[Loss::missed] += costs.missed;
  return losses;
}

std::optional<OffCpu> EbpfSource::off_cpu(beam::ThreadRole role) const {
  for (const auto& [tid, watched] : watched_) {
    if (watched.role != role || !measures_off_cpu(watched)) continue;
    const auto time = program_->off_cpu(watched.index);
    if (!time) return std::nullopt;
    OffCpu off{.working = std::chrono::nanoseconds(time->working),
               .in_port = std::chrono::nanoseconds(time->in_port),
               .in_nif = std::chrono::nanoseconds(time->in_nif),
               .spinning = std::chrono::nanoseconds(time->spinning),
               .spun = std::chrono::nanoseconds(time->spun),
               .lost = std::chrono::nanoseconds(time->lost)};
    if (time->left == left_unknown || time->left == left_to_sleep) return off;
    // The thread may still be off its CPU: add that time too.
    const auto gone = time_off_cpu(watched, *time);
    (time->left == left_working   ? off.working
     : time->left == left_in_port ? off.in_port
     : time->left == left_in_nif  ? off.in_nif
                                  : off.spinning) += std::max(gone, std::chrono::nanoseconds(0));
    return off;
  }
  return std::nullopt;
}

bool EbpfSource::measures_off_cpu(const Watched& watched) const {
  return watched.switches.has_value();
}

std::chrono::nanoseconds EbpfSource::time_off_cpu(const Watched& watched,
                                                  const off_cpu_time& time) const {
  const auto run_time = os::run_time_of(watched.switch_event);
  if (!run_time) return {};
  const auto passed = os::monotonic_now() - std::chrono::nanoseconds(time.left_at);
  return passed - (*run_time - std::chrono::nanoseconds(time.run_time));
}

std::optional<SourceCost> EbpfSource::cost() const {
  const auto costs = program_->costs();
  return SourceCost{costs.runs, std::chrono::nanoseconds(costs.nanoseconds)};
}

}  // namespace beam_exporter::sampling
