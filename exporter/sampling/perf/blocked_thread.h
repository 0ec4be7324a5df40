#pragma once

#include <sys/types.h>

#include "beam/virtual_machine.h"
#include "sampling/native_reader.h"
#include "sampling/observed_thread.h"
#include "sampling/perf/remote_reader.h"

namespace beam_exporter::sampling {

// Sees a thread that is off the CPU, of which no source makes a sample: it waits in a system call,
// or it is stopped. The kernel tells where the thread will go on (/proc/PID/task/TID/syscall), and
// its stack is read from its memory; nothing is attached to it. Of its registers only rsp and rip
// are known, so the C frames end at the first one that needs another register
// (ObservedThread::native_end). Used by commands that look once. One thread.
class BlockedThread {
 public:
  // `vm` must outlive it.
  explicit BlockedThread(beam::VirtualMachine& vm) : vm_(&vm), native_(vm), reader_(vm, native_) {}

  // Call it before the looks of one moment: threads, libraries and heaps may be new.
  void update();
  // Fills `out`. `scheduler` is null for threads that never execute processes. False: the thread
  // can run, or it has run while it was read, or the kernel does not tell its place.
  bool see(pid_t tid, beam::ThreadRole role, const beam::Scheduler* scheduler, ObservedThread& out);

  elf::LoadedObjects& objects() { return native_.objects(); }

 private:
  std::vector<std::byte> copied_stack(os::Address begin) const;

  beam::VirtualMachine* vm_;
  NativeReader native_;
  RemoteReader reader_;
};

}  // namespace beam_exporter::sampling
