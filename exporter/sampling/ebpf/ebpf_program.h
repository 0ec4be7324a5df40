#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "beam/layout/layout.h"
#include "os/process/pid_namespace.h"
#include "os/result.h"
#include "os/unique_fd.h"
#include "sampling/bpf/sample_record.h"

struct bpf_program;

namespace beam_exporter::sampling {

// The kernel half of the eBPF source, loaded: its maps, its ring, its attachments. The home of
// libbpf. One thread.
class EbpfProgram {
 public:
  // What runs it: an event of each thread, or the kernel's tick and the switches of all threads.
  enum class Trigger { thread_events, tick };

  struct Options {
    Trigger trigger = Trigger::thread_events;
    const beam::Layout* layout = nullptr;
    bool frame_pointers = false;
    os::Address active_code_index = 0;
    std::size_t ring_bytes = 1 << 20;  // a power of two
    os::PidNamespace pid_namespace;    // the VM's
    pid_t pid_inside = 0;              // its id in there
    std::chrono::nanoseconds period{};
  };

  // Errors: not_permitted (CAP_BPF, CAP_PERFMON, seccomp), unsupported (no BTF, an old kernel).
  static os::Result<std::unique_ptr<EbpfProgram>> load(const Options& options);
  ~EbpfProgram();

  // The program on one event, until its end. It keeps the event, whose own descriptor may be
  // closed.
  class Attachment {
   public:
    explicit Attachment(os::UniqueFd link) : link_(std::move(link)) {}
    const os::UniqueFd& descriptor() const { return link_; }

   private:
    os::UniqueFd link_;
  };
  // Watches one thread: `event_fd` is its cpu-clock event, `index` its place in the program's
  // table.
  os::Result<Attachment> attach(int event_fd, std::uint32_t index, const watched_thread& thread);
  // The same for an event at the entry of a function that gets carriers. Its threads are told by
  // their ids, as the VM itself sees them.
  os::Result<Attachment> attach_growth(int event_fd, carrier_function_kind kind);
  void name_thread(std::uint32_t tid_inside, std::uint32_t index);

  // Of a program on the tick: watches one thread, under its id as the VM itself sees it; then, once
  // threads have been told, begins. Errors: not_permitted, unsupported.
  os::Status watch(std::uint32_t tid_inside, std::uint32_t index, const watched_thread& thread);
  os::Status begin_ticks();
  // Since when it is on a CPU; nullopt: it is not, or was not seen there yet.
  std::optional<std::chrono::nanoseconds> on_cpu_since(std::uint32_t index) const;

  // Has a thread's time off CPU measured from now on: `switch_fd` is its context-switch event.
  os::Result<Attachment> attach_switches(int switch_fd, std::uint32_t index);
  std::optional<off_cpu_time> off_cpu(std::uint32_t index) const;

  // Tells the program where a thread has its things; false when the kernel refuses.
  bool place(std::uint32_t index, const watched_thread& thread);

  // Readable when the program wants to be drained soon.
  int descriptor() const;
  void drain(const std::function<void(std::span<const std::byte>)>& visit);

  // The code index whose names are known: samples taken under another one wake us at once.
  void set_known_code_index(std::uint32_t index);

  sample_costs costs() const;  // over all CPUs, since loaded

 private:
  struct Parts;
  static os::Result<Attachment> attach_to(bpf_program* program, int event_fd, std::uint64_t cookie);
  explicit EbpfProgram(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace beam_exporter::sampling
