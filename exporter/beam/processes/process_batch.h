#pragma once

#include <optional>
#include <span>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/processes/mailbox_heaps.h"
#include "beam/processes/message_queue.h"
#include "beam/terms/mfa.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// One live process as it was when its struct was read.
struct ScannedProcess {
  Eterm id = 0;
  os::Address registered = 0;  // RegProc*; 0: no name
  os::Address dictionary = 0;  // ProcDict*; 0: empty
  Mfa initial;
  // Heaps, heap fragments, messages; as process_info's total_heap_size.
  std::uint64_t heap_bytes = 0;
  std::uint64_t messages = 0;  // in its queue, as message_queue_len
  // Of its whole life, without those of the time slice in which it runs now. Absent: the layout
  // does not say where they are.
  std::optional<std::uint64_t> reductions;
  std::uint32_t state = 0;  // of process_flags
  // Of its struct. Another process may be there later.
  os::Address address = 0;
};

// The words of its heaps and heap fragments, without messages. nullopt: no process has such a heap;
// the bytes are torn. Pure.
std::optional<std::uint64_t> heap_words(StructBytes process, const ProcessLayout& at);

// Makes ScannedProcess of the bytes of many process structs. What needs more reads, messages for
// the most part, is read for all processes of a batch together. One thread.
class ProcessBatch {
 public:
  // Both must outlive it.
  ProcessBatch(const Layout& layout, const os::Memory& memory)
      : at_(&layout.process), queues_(layout, memory), mailboxes_(layout, memory) {}

  void clear() { processes_.clear(); }
  // `process` was at `address`. False: no process has such a heap; the bytes are torn.
  [[nodiscard]] bool add(os::Address address, StructBytes process);
  // Reads the rest. Call it once after the last add().
  void finish();
  // In the order of add(); whole after finish().
  const std::vector<ScannedProcess>& processes() const { return processes_; }

  // Of all batches so far.
  std::uint64_t torn() const { return queues_.torn() + mailboxes_.torn(); }
  std::uint64_t unmeasured_messages() const { return unmeasured_; }  // as ProcessScan has them
  std::uint64_t reads() const { return reads_; }

 private:
  void take_mailbox(const MailboxHeap& mailbox, ScannedProcess& process);

  const ProcessLayout* at_;
  MessageQueues queues_;
  MailboxHeaps mailboxes_;
  std::vector<ScannedProcess> processes_;
  std::uint64_t unmeasured_ = 0, reads_ = 0;
};

}  // namespace beam_exporter::beam
