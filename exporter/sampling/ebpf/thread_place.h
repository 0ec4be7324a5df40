#pragma once

#include <sys/types.h>

#include "beam/virtual_machine.h"
#include "sampling/bpf/sample_record.h"
#include "sampling/native_reader.h"

namespace beam_exporter::sampling {

// What the BPF program is told of a thread: where its scheduler's fields and its stacks are.
// `scheduler` is null for threads that never execute processes. Called by the source when it begins
// to watch a thread, and again when more is known of it.
watched_thread thread_place(const beam::VirtualMachine& vm, const NativeReader& native, pid_t tid,
                            const beam::Scheduler* scheduler);

// Its runtime_stack. The frame of an interpreter is known when a sample has shown it.
os::Address runtime_stack_of(const NativeReader& native, const beam::Scheduler* scheduler);

}  // namespace beam_exporter::sampling
