#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "beam/allocators/inlined_carriers.h"
#include "beam/code/interpreter.h"
#include "beam/layout/layout.h"
#include "os/perf/perf_event.h"
#include "os/process/pid_namespace.h"
#include "os/result.h"
#include "os/unique_fd.h"
#include "sampling/bpf/sample_record.h"

struct bpf_program;

namespace beam_exporter::sampling {

// The loaded BPF program of the eBPF and tick sources: its maps, its ring, its attachments. Only
// this class uses libbpf. One thread.
class EbpfProgram {
 public:
  // What runs the program: an event per thread, or the kernel's tick and all context switches.
  enum class Trigger { thread_events, tick };

  struct Options {
    Trigger trigger = Trigger::thread_events;
    const beam::Layout* layout = nullptr;
    const beam::Interpreter* interpreter = nullptr;  // nullptr with the JIT
    bool frame_pointers = false;
    os::Address active_code_index = 0;
    std::size_t ring_bytes = 1 << 20;  // a power of two
    os::PidNamespace pid_namespace;    // of the VM
    pid_t pid_inside = 0;              // the VM's id in that namespace
    std::chrono::nanoseconds period{};
    // The tick sees no kernel stack but its own.
    os::KernelStacks kernel_stacks = os::KernelStacks::left_out;
  };

  // Errors: not_permitted (CAP_BPF, CAP_PERFMON, seccomp), unsupported (no BTF, an old kernel).
  static os::Result<std::unique_ptr<EbpfProgram>> load(const Options& options);
  ~EbpfProgram();

  // While this object lives, the program runs on one event. It keeps the event: the event's own
  // descriptor may be closed.
  class Attachment {
   public:
    explicit Attachment(os::UniqueFd link) : link_(std::move(link)) {}
    const os::UniqueFd& descriptor() const { return link_; }

   private:
    os::UniqueFd link_;
  };
  // Watches one thread. `event_fd` is its cpu-clock event, `index` its index in the map `threads`.
  os::Result<Attachment> attach(int event_fd, std::uint32_t index, const watched_thread& thread);
  // The same for an event at the entry of a function that gets carriers. Every thread may enter it:
  // see set_index_of_thread().
  os::Result<Attachment> attach_growth(int event_fd, const beam::CarrierFunction& function);
  // Of the functions that are behind one that gets carriers, only these calls count.
  os::Status add_carrier_call(const beam::CarrierCall& call);
  // Lets programs that run in every thread find a thread's index, by its id in the VM's own pid
  // namespace.
  void set_index_of_thread(std::uint32_t tid_inside, std::uint32_t index);

  // For Trigger::tick: watch() adds one thread, under its id in the VM's own pid namespace;
  // begin_ticks() starts sampling, after threads were added. Errors: not_permitted, unsupported.
  os::Status watch(std::uint32_t tid_inside, std::uint32_t index, const watched_thread& thread);
  os::Status begin_ticks();
  // Since when the thread has been on a CPU; nullopt: it is not on one, or was not seen there yet.
  std::optional<std::chrono::nanoseconds> on_cpu_since(std::uint32_t index) const;

  // Begins to measure a thread's time off CPU. `switch_fd` is its context-switch event.
  os::Result<Attachment> attach_switches(int switch_fd, std::uint32_t index);
  std::optional<off_cpu_time> off_cpu(std::uint32_t index) const;

  // Writes the thread's addresses into the map `threads`; false when the kernel refuses.
  bool update_thread(std::uint32_t index, const watched_thread& thread);

  // Becomes readable when the caller should call drain() soon.
  int descriptor() const;
  void drain(const std::function<void(std::span<const std::byte>)>& visit);

  // Sets the code index whose names we know. A sample under another code index wakes us at once.
  void set_known_code_index(std::uint32_t index);

  sample_costs costs() const;  // over all CPUs, since loaded

 private:
  struct Parts;
  static os::Result<Attachment> attach_to(bpf_program* program, int event_fd, std::uint64_t cookie);
  explicit EbpfProgram(std::unique_ptr<Parts> parts);
  os::Status add_thread(std::uint32_t index, const watched_thread& thread);
  std::unique_ptr<Parts> parts_;
};

}  // namespace beam_exporter::sampling
