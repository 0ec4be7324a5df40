#include "sampling/ebpf/ebpf_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "os/rights/refusal.h"

// The generated skeleton uses our struct without its namespace.
using beam_exporter::sampling::vm_places;
#include "vm_sample.skel.h"

namespace beam_exporter::sampling {

namespace {

os::Error load_error(int error) {
  const auto facts = os::refusal_facts();
  if (error == EPERM || error == EACCES || facts.gvisor || facts.before_5_15)
    return {os::ErrorKind::not_permitted, os::bpf_refusal(facts)};
  return {os::ErrorKind::unsupported,
          std::string("the eBPF program does not load: ") + std::generic_category().message(error) +
              " (needs Linux 5.15 or later with BTF, /sys/kernel/btf/vmlinux)"};
}

// Some kernels allow programs for perf events, but none of type tracing.
os::Error tick_error(int error) {
  if (error == EPERM || error == EACCES)
    return {os::ErrorKind::not_permitted, os::tick_refusal(os::refusal_facts())};
  return load_error(error);
}

os::Error error_of_map(const std::string& what) {
  return {os::ErrorKind::system,
          "cannot add " + what + " to the eBPF program: " + std::generic_category().message(errno)};
}

// Load only the programs of this trigger: a kernel may refuse those of the other one.
void choose_programs(vm_sample& skeleton, EbpfProgram::Trigger trigger) {
  const bool tick = trigger == EbpfProgram::Trigger::tick;
  for (bpf_program* program : {skeleton.progs.vm_tick, skeleton.progs.vm_switches})
    bpf_program__set_autoload(program, tick);
  for (bpf_program* program :
       {skeleton.progs.vm_sample, skeleton.progs.vm_leaves_cpu, skeleton.progs.carrier_grows})
    bpf_program__set_autoload(program, !tick);
  bpf_map__set_autocreate(skeleton.maps.timers, tick);
  for (bpf_map* map : {skeleton.maps.scratches_of_growth, skeleton.maps.carrier_calls})
    bpf_map__set_autocreate(map, !tick);
  bpf_map__set_max_entries(skeleton.maps.timers,
                           static_cast<std::uint32_t>(libbpf_num_possible_cpus()));
}

int drop_message(libbpf_print_level, const char*, va_list) { return 0; }

int visit_record(void* context, void* data, std::size_t bytes) {
  const auto& visit = *static_cast<const std::function<void(std::span<const std::byte>)>*>(context);
  visit({static_cast<const std::byte*>(data), bytes});
  return 0;
}

}  // namespace

struct EbpfProgram::Parts {
  vm_sample* skeleton = nullptr;
  ring_buffer* ring = nullptr;
  std::vector<Attachment> ticks;
  std::size_t possible_cpus = 0;  // read once, because reading opens a file
  std::function<void(std::span<const std::byte>)> visit;

  ~Parts() {
    ticks.clear();
    ring_buffer__free(ring);
    vm_sample__destroy(skeleton);
  }
};

EbpfProgram::EbpfProgram(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
EbpfProgram::~EbpfProgram() = default;

os::Result<std::unique_ptr<EbpfProgram>> EbpfProgram::load(const Options& options) {
  const auto& layout = *options.layout;
  if (layout.process.size > most_process_bytes)
    return os::Error{os::ErrorKind::unsupported,
                     "the process struct of this release is too large for the eBPF program"};
  libbpf_set_print(drop_message);  // libbpf would write to stderr; our errors say what matters
  auto parts = std::make_unique<Parts>();
  parts->skeleton = vm_sample__open();
  if (parts->skeleton == nullptr) return load_error(errno);
  auto& vm = parts->skeleton->rodata->vm;
  vm.current_process = layout.scheduler_data.current_process.offset;
  vm.current_nif = layout.scheduler_data.current_nif.offset;
  vm.current_port = layout.scheduler_data.current_port.offset;
  vm.reductions = layout.scheduler_data.reductions.offset;
  vm.process_size = layout.process.size;
  vm.heap = layout.process.heap.offset;
  vm.hend = layout.process.hend.offset;
  vm.stop = layout.process.stop.offset;
  vm.current = layout.process.current.offset;
  vm.frame_pointers = options.frame_pointers;
  vm.active_code_index = options.active_code_index;
  vm.stack_register = register_rbp;
  if (const auto* interpreter = options.interpreter) {
    vm.interpreter = interpreter->code.begin;
    vm.interpreter_bytes = interpreter->code.size();
    const auto& stack = interpreter->places.stack;
    vm.stack_register = static_cast<std::uint32_t>(stack.base);
    vm.stack_in_frame = stack.in_frame.has_value();
    vm.stack_offset = stack.in_frame.value_or(0);
  }
  vm.pid_namespace_device = options.pid_namespace.device;
  vm.pid_namespace_inode = options.pid_namespace.inode;
  vm.pid_inside = static_cast<std::uint32_t>(options.pid_inside);
  vm.period = static_cast<std::uint64_t>(options.period.count());
  vm.kernel_stacks = options.kernel_stacks == os::KernelStacks::taken;
  choose_programs(*parts->skeleton, options.trigger);
  bpf_map__set_max_entries(parts->skeleton->maps.samples,
                           static_cast<std::uint32_t>(options.ring_bytes));
  if (const int failed = vm_sample__load(parts->skeleton); failed != 0)
    return options.trigger == Trigger::tick ? tick_error(-failed) : load_error(-failed);
  parts->ring = ring_buffer__new(bpf_map__fd(parts->skeleton->maps.samples), visit_record,
                                 &parts->visit, nullptr);
  if (parts->ring == nullptr) return load_error(errno);
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return load_error(-cpus);
  parts->possible_cpus = static_cast<std::size_t>(cpus);
  return std::unique_ptr<EbpfProgram>(new EbpfProgram(std::move(parts)));
}

os::Result<EbpfProgram::Attachment> EbpfProgram::attach(int event_fd, std::uint32_t index,
                                                        const watched_thread& thread) {
  if (auto added = add_thread(index, thread); !added) return added.error();
  return attach_to(parts_->skeleton->progs.vm_sample, event_fd, index);
}

os::Result<EbpfProgram::Attachment> EbpfProgram::attach_switches(int switch_fd,
                                                                 std::uint32_t index) {
  return attach_to(parts_->skeleton->progs.vm_leaves_cpu, switch_fd, index);
}

std::optional<off_cpu_time> EbpfProgram::off_cpu(std::uint32_t index) const {
  off_cpu_time time{};
  if (bpf_map_lookup_elem(bpf_map__fd(parts_->skeleton->maps.off_cpu), &index, &time) != 0)
    return std::nullopt;
  return time;
}

os::Result<EbpfProgram::Attachment> EbpfProgram::attach_growth(
    int event_fd, const beam::CarrierFunction& function) {
  const auto kind = static_cast<std::uint64_t>(function.kind);
  return attach_to(parts_->skeleton->progs.carrier_grows, event_fd,
                   kind | (function.behind ? carrier_behind : 0));
}

os::Status EbpfProgram::add_carrier_call(const beam::CarrierCall& call) {
  const std::uint64_t return_to = call.return_to;
  const std::uint32_t number = call.allocator;
  if (bpf_map_update_elem(bpf_map__fd(parts_->skeleton->maps.carrier_calls), &return_to, &number,
                          BPF_ANY) == 0)
    return os::Done{};
  return error_of_map("a call");
}

// When the thread ends, its entry stays until the kernel reuses the id. That does no harm: no
// thread has that index then.
void EbpfProgram::set_index_of_thread(std::uint32_t tid_inside, std::uint32_t index) {
  (void)bpf_map_update_elem(bpf_map__fd(parts_->skeleton->maps.index_of_thread), &tid_inside,
                            &index, BPF_ANY);
}

os::Result<EbpfProgram::Attachment> EbpfProgram::attach_to(bpf_program* program, int event_fd,
                                                           std::uint64_t cookie) {
  // Not bpf_program__attach_perf_event(): its link keeps a second descriptor, that of the event.
  LIBBPF_OPTS(bpf_link_create_opts, options);
  options.perf_event.bpf_cookie = cookie;
  os::UniqueFd link(bpf_link_create(bpf_program__fd(program), event_fd, BPF_PERF_EVENT, &options));
  if (link) return Attachment(std::move(link));
  const int error = errno;
  return os::Error{
      error == EPERM || error == EACCES ? os::ErrorKind::not_permitted : os::ErrorKind::unsupported,
      std::string("cannot attach the eBPF program: ") + std::generic_category().message(error)};
}

os::Status EbpfProgram::add_thread(std::uint32_t index, const watched_thread& thread) {
  const off_cpu_time none{};  // the index may have been another thread's
  const thread_clock not_seen{};
  const auto& maps = parts_->skeleton->maps;
  if (update_thread(index, thread) &&
      bpf_map_update_elem(bpf_map__fd(maps.off_cpu), &index, &none, BPF_ANY) == 0 &&
      bpf_map_update_elem(bpf_map__fd(maps.clocks), &index, &not_seen, BPF_ANY) == 0)
    return os::Done{};
  return error_of_map("a thread");
}

os::Status EbpfProgram::watch(std::uint32_t tid_inside, std::uint32_t index,
                              const watched_thread& thread) {
  if (auto added = add_thread(index, thread); !added) return added.error();
  set_index_of_thread(tid_inside, index);
  return os::Done{};
}

os::Status EbpfProgram::begin_ticks() {
  std::vector<Attachment> attached;
  // Attach the switches first: if a tick sees a thread, and then nobody sees the thread leave its
  // CPU, time off CPU would count as work.
  for (bpf_program* program :
       {parts_->skeleton->progs.vm_switches, parts_->skeleton->progs.vm_tick}) {
    os::UniqueFd link(bpf_link_create(bpf_program__fd(program), 0,
                                      bpf_program__expected_attach_type(program), nullptr));
    if (!link) return tick_error(errno);
    attached.emplace_back(std::move(link));
  }
  parts_->ticks = std::move(attached);
  return os::Done{};
}

std::optional<std::chrono::nanoseconds> EbpfProgram::on_cpu_since(std::uint32_t index) const {
  thread_clock clock{};
  if (bpf_map_lookup_elem(bpf_map__fd(parts_->skeleton->maps.clocks), &index, &clock) != 0 ||
      clock.on_cpu_since == 0)
    return std::nullopt;
  return std::chrono::nanoseconds(clock.on_cpu_since);
}

bool EbpfProgram::update_thread(std::uint32_t index, const watched_thread& thread) {
  return bpf_map_update_elem(bpf_map__fd(parts_->skeleton->maps.threads), &index, &thread,
                             BPF_ANY) == 0;
}

int EbpfProgram::descriptor() const { return ring_buffer__epoll_fd(parts_->ring); }

void EbpfProgram::drain(const std::function<void(std::span<const std::byte>)>& visit) {
  parts_->visit = visit;
  ring_buffer__consume(parts_->ring);
  // consume() takes the data, but not the epoll event: poll() takes that.
  ring_buffer__poll(parts_->ring, 0);
}

void EbpfProgram::set_known_code_index(std::uint32_t index) {
  parts_->skeleton->bss->known_code_index = index;
}

sample_costs EbpfProgram::costs() const {
  const std::uint32_t zero = 0;
  std::vector<sample_costs> rows(parts_->possible_cpus);
  sample_costs sum{};
  if (bpf_map_lookup_elem(bpf_map__fd(parts_->skeleton->maps.costs), &zero, rows.data()) != 0)
    return sum;
  for (const auto& row : rows) {
    sum.runs += row.runs;
    sum.nanoseconds += row.nanoseconds;
    sum.dropped += row.dropped;
    sum.missed += row.missed;
  }
  return sum;
}

}  // namespace beam_exporter::sampling
