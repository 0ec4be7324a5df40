#include "sampling/ebpf/thread_place.h"

#include "os/process/threads.h"

namespace beam_exporter::sampling {

namespace {

bool interprets(const beam::VirtualMachine& vm, const beam::Scheduler& scheduler) {
  return vm.interpreter() != nullptr && scheduler.role.kind == beam::ThreadKind::normal;
}

}  // namespace

os::Address runtime_stack_of(const beam::VirtualMachine& vm, const NativeReader& native,
                             const beam::Scheduler* scheduler) {
  if (scheduler == nullptr) return 0;
  return interprets(vm, *scheduler) ? native.interpreter_frame(scheduler->role).stack_pointer
                                    : scheduler->runtime_stack;
}

watched_thread thread_place(const beam::VirtualMachine& vm, const NativeReader& native, pid_t tid,
                            const beam::Scheduler* scheduler) {
  watched_thread thread{.role = role_other};
  // The stack of a thread is the mapping that holds its stack pointer. For a normal scheduler that
  // is `runtime_stack`, where known; for other threads the kernel tells it.
  os::Address inside = os::stack_pointer_of(vm.process().directory(), tid).value_or(0);
  if (scheduler != nullptr) {
    thread.role = interprets(vm, *scheduler)      ? role_interpreter
                  : scheduler->runtime_stack != 0 ? role_normal
                                                  : role_dirty;
    thread.scheduler_data = scheduler->data;
    thread.sleep_flags = scheduler->sleep_flags;
    thread.runtime_stack = runtime_stack_of(vm, native, scheduler);
    if (interprets(vm, *scheduler)) {
      const auto frame = native.interpreter_frame(scheduler->role);
      thread.stack_word = frame.stack_word;
      thread.frame_end = frame.places_end;
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
