#pragma once

#include <functional>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// What the messages of one process take beside its heap.
struct MailboxHeap {
  std::uint64_t words = 0;
  std::uint64_t measured = 0;  // messages
  std::uint64_t unread = 0;    // messages from other nodes that the VM has not decoded yet
  bool whole = true;           // false: there were more than we follow
};

// Messages of processes whose mailbox belongs to the heap (message_queue_data is on_heap) wait in
// heap fragments, which process_info's total_heap_size counts (erl_bif_info.c
// ERTS_PI_IX_TOTAL_HEAP_SIZE, erl_message.h erts_msg_attached_data_size, OTP 25 and 27). The lists
// of all processes of a scan are followed together, a message of each at a time, with bounds on
// each and on all. One thread.
class MailboxHeaps {
 public:
  MailboxHeaps(const Layout& layout, const os::Memory& memory)
      : layout_(&layout), memory_(&memory) {}

  // `process` holds the bytes of a process struct; `index` is the caller's.
  void add(std::size_t index, StructBytes process);

  // Calls take(index, mailbox) for each process that has messages; returns the number of reads.
  // Others may be added afterwards: what is read in all has one bound.
  std::uint64_t finish(const std::function<void(std::size_t, const MailboxHeap&)>& take);

  // Lists that could not be followed to their end: they changed while we looked.
  std::uint64_t torn() const { return torn_; }

 private:
  struct Piece {
    std::size_t mailbox;
    os::Address at;
    bool fragment;  // else a message
  };
  struct Mailbox {
    std::size_t index;
    MailboxHeap heap;
  };
  std::span<const std::byte> readable(const Piece& piece, const os::ReadRequest& request) const;
  bool measure(const Piece& piece, StructBytes bytes);
  bool measure_fragment(const Piece& piece, std::optional<std::uint64_t> used,
                        std::optional<std::uint64_t> room, std::optional<os::Address> next);

  const Layout* layout_;
  const os::Memory* memory_;
  std::vector<Mailbox> mailboxes_;
  std::vector<Piece> pieces_;  // to be read next
  std::uint64_t reads_ = 0, torn_ = 0;
};

}  // namespace beam_exporter::beam
