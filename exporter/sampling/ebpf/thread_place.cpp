#include "sampling/ebpf/thread_place.h"

#include "os/process/threads.h"

namespace beam_exporter::sampling {

namespace {

// Of a scheduler that interprets; nullopt for others.
std::optional<InterpreterFrame> frame_of(const NativeReader& native,
                                         const beam::Scheduler& scheduler) {
  if (native.interpreter() == nullptr || scheduler.role.kind != beam::ThreadKind::normal)
    return std::nullopt;
  return native.interpreter()->frame(scheduler.role);
}

}  // namespace

os::Address runtime_stack_of(const NativeReader& native, const beam::Scheduler* scheduler) {
  if (scheduler == nullptr) return 0;
  const auto frame = frame_of(native, *scheduler);
  return frame ? frame->stack_pointer : scheduler->runtime_stack;
}

watched_thread thread_place(const beam::VirtualMachine& vm, const NativeReader& native, pid_t tid,
                            const beam::Scheduler* scheduler) {
  watched_thread thread{.role = role_other};
  // The stack of a thread is the mapping that holds its stack pointer. For a normal scheduler that
  // is `runtime_stack`, where known; for other threads the kernel tells it.
  os::Address inside = os::stack_pointer_of(vm.process().directory(), tid).value_or(0);
  if (scheduler != nullptr) {
    const auto frame = frame_of(native, *scheduler);
    thread.role = frame                           ? role_interpreter
                  : scheduler->runtime_stack != 0 ? role_normal
                                                  : role_dirty;
    thread.scheduler_data = scheduler->data;
    thread.sleep_flags = scheduler->sleep_flags;
    thread.runtime_stack = frame ? frame->stack_pointer : scheduler->runtime_stack;
    if (frame) {
      thread.stack_word = frame->stack_word;
      thread.frame_end = frame->places_end;
    }
    if (thread.runtime_stack != 0) inside = thread.runtime_stack - 8;
  }
  if (const auto* stack = vm.memory_map().find(inside); stack != nullptr && stack->writable) {
    thread.stack_low = stack->range.begin;
    thread.stack_high = stack->range.end;
  }
  return thread;
}

}  // namespace beam_exporter::sampling
