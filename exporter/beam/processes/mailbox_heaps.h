#pragma once

#include <functional>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// The memory of one process's messages outside its heap.
struct MailboxHeap {
  std::uint64_t words = 0;
  std::uint64_t measured = 0;  // messages
  // Messages from other nodes that the VM has not decoded yet; not measured.
  std::uint64_t unread = 0;
  bool whole = true;  // false: there were more messages than we follow
  bool torn = false;  // a list could not be followed to its end, because it changed meanwhile
};

// Measures the messages of processes, which wait in heap fragments. process_info's total_heap_size
// counts those of processes whose mailbox belongs to the heap (message_queue_data is on_heap;
// ERTS_PI_IX_TOTAL_HEAP_SIZE in erl_bif_info.c, erts_msg_attached_data_size in erl_message.h, OTP
// 25 and 27), its memory counts all. Follows the lists of all processes of a scan together, one
// message of each list per step. Each list and the whole have bounds. One thread.
class MailboxHeaps {
 public:
  enum class Which : std::uint8_t {
    on_heap,  // a scan's: 65,536 messages of one process, 2^18 reads
    all,      // on and off the heap, 16 times as many
  };
  MailboxHeaps(const Layout& layout, const os::Memory& memory, Which which = Which::on_heap)
      : layout_(&layout), memory_(&memory), which_(which) {}

  // `process` holds the bytes of a process struct. finish() passes `index` back.
  void add(std::size_t index, StructBytes process);

  // Calls take(index, mailbox) for each process that has messages; returns the number of reads.
  // Afterwards more processes may be added; the bound on all reads covers them too.
  std::uint64_t finish(const std::function<void(std::size_t, const MailboxHeap&)>& take);

  // Lists that we could not follow to their end, because they changed meanwhile.
  std::uint64_t torn() const { return torn_; }

 private:
  struct Piece {
    std::size_t mailbox;
    os::Address at;
    bool fragment;  // false: a message
  };
  struct Mailbox {
    std::size_t index;
    MailboxHeap heap;
  };
  std::span<const std::byte> readable(const Piece& piece, const os::ReadRequest& request) const;
  bool measure(const Piece& piece, StructBytes bytes);
  bool measure_fragment(const Piece& piece, std::optional<std::uint64_t> used,
                        std::optional<std::uint64_t> room, std::optional<os::Address> next);

  std::uint64_t times() const { return which_ == Which::all ? 16 : 1; }

  const Layout* layout_;
  const os::Memory* memory_;
  Which which_;
  std::vector<Mailbox> mailboxes_;
  std::vector<Piece> pieces_;  // to be read next
  std::uint64_t reads_ = 0, torn_ = 0;
};

}  // namespace beam_exporter::beam
