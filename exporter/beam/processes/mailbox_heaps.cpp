#include "beam/processes/mailbox_heaps.h"

#include <algorithm>
#include <utility>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// FS_ON_HEAP_MSGQ, erl_process.h (OTP 25 and 27).
constexpr std::uint32_t on_heap_flag = 1u << 1;
// ERTS_MSG_COMBINED_HFRAG, erl_message.h (OTP 25 and 27): the fragment follows the message in
// memory.
constexpr os::Address combined_fragment = 1;
// THE_NON_VALUE, erl_term.h (OTP 25 and 27): a message from another node that is not decoded yet.
constexpr Eterm not_decoded = 0;
// A message begins with a term, another signal with a header word, which has its own tag.
bool is_header(Eterm term) { return (term & 3) == 0; }

// Words: user space is not larger. Neither is a fragment, or the sum of all.
constexpr std::uint64_t most_words_of_messages = std::uint64_t{1} << 44;
constexpr std::uint64_t most_messages = 65536;                     // of one process
constexpr std::uint64_t most_heap_reads = std::uint64_t{1} << 18;  // of one scan
constexpr std::size_t most_at_once = 4096;

}  // namespace

void MailboxHeaps::add(std::size_t index, StructBytes process) {
  const auto& at = layout_->process;
  const bool on_heap = (process.get(at.queue_flags).value_or(0) & on_heap_flag) != 0;
  if (which_ == Which::on_heap && !on_heap) return;
  if (layout_->message.size == 0 || layout_->heap_fragment.size == 0) return;
  bool any = false;
  for (const auto first : {at.inner_first, at.middle_first, at.incoming_first}) {
    const auto message = process.get(first).value_or(0);
    if (message == 0) continue;
    if (!std::exchange(any, true)) mailboxes_.push_back({index, {}});
    pieces_.push_back({mailboxes_.size() - 1, message, false});
  }
}

std::uint64_t MailboxHeaps::finish(
    const std::function<void(std::size_t, const MailboxHeap&)>& take) {
  std::uint64_t reads = 0;
  std::vector<Piece> now;
  std::vector<std::byte> bytes;
  std::vector<os::ReadRequest> requests;
  while (!pieces_.empty() && reads_ + reads < most_heap_reads * times()) {
    now.swap(pieces_);
    pieces_.clear();
    for (std::span<const Piece> left = now; !left.empty();) {
      const auto some = left.first(std::min(left.size(), most_at_once));
      left = left.subspan(some.size());
      const std::size_t stride = std::max(layout_->message.size, layout_->heap_fragment.size);
      bytes.resize(some.size() * stride);
      requests.clear();
      for (std::size_t k = 0; k < some.size(); ++k) {
        const auto size = some[k].fragment ? layout_->heap_fragment.size : layout_->message.size;
        requests.push_back({some[k].at, std::span(bytes).subspan(k * stride, size)});
      }
      memory_->read_batch(requests);
      reads += some.size();
      for (std::size_t k = 0; k < some.size(); ++k)
        if (!measure(some[k], StructBytes(readable(some[k], requests[k])))) {
          ++torn_;
          mailboxes_[some[k].mailbox].heap.torn = true;
        }
    }
  }
  for (const auto& piece : pieces_) mailboxes_[piece.mailbox].heap.whole = false;
  for (const auto& mailbox : mailboxes_) take(mailbox.index, mailbox.heap);
  pieces_.clear();
  mailboxes_.clear();
  reads_ += reads;
  return reads;
}

// A message without a fragment behind it is only the first part of the struct: mapped memory may
// end after that part.
std::span<const std::byte> MailboxHeaps::readable(const Piece& piece,
                                                  const os::ReadRequest& request) const {
  if (request.ok) return request.into;
  const auto& term = layout_->message.term;
  const auto beginning = request.into.first(piece.fragment ? 0 : term.offset + term.width);
  return !beginning.empty() && memory_->read(piece.at, beginning) ? beginning
                                                                  : std::span<std::byte>();
}

// False: this is neither a message nor a fragment.
bool MailboxHeaps::measure(const Piece& piece, StructBytes bytes) {
  if (piece.at % 8 != 0) return false;
  if (piece.fragment) {
    const auto& at = layout_->heap_fragment;
    return measure_fragment(piece, bytes.get(at.used), bytes.get(at.room), bytes.get(at.next));
  }
  const auto& at = layout_->message;
  auto& heap = mailboxes_[piece.mailbox].heap;
  const auto next = bytes.get(at.next), attached = bytes.get(at.attached);
  const auto term = bytes.get(at.term);
  if (!next || !attached || !term) return false;
  if (*next != 0) {
    if (heap.measured + heap.unread + 1 < most_messages * times())
      pieces_.push_back({piece.mailbox, *next, false});
    else
      heap.whole = false;
  }
  if (*term == not_decoded) ++heap.unread;
  if (is_header(*term)) return true;
  ++heap.measured;
  if (*attached == 0) return true;  // its data is on the heap
  if (*attached == combined_fragment)
    return measure_fragment(piece, bytes.get(at.fragment_used), bytes.get(at.fragment_room),
                            bytes.get(at.fragment_next));
  pieces_.push_back({piece.mailbox, *attached, true});
  return true;
}

bool MailboxHeaps::measure_fragment(const Piece& piece, std::optional<std::uint64_t> used,
                                    std::optional<std::uint64_t> room,
                                    std::optional<os::Address> next) {
  auto& words = mailboxes_[piece.mailbox].heap.words;
  if (!used || !room || !next || *used > *room || *room > most_words_of_messages - words)
    return false;
  words += *used;
  if (*next != 0) pieces_.push_back({piece.mailbox, *next, true});
  return true;
}

}  // namespace beam_exporter::beam
