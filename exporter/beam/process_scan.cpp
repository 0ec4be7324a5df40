#include "beam/process_scan.h"

#include <algorithm>
#include <array>
#include <bit>

#include "beam/mailbox_heaps.h"
#include "beam/message_queue.h"
#include "beam/process_table.h"
#include "beam/remote_struct.h"
#include "beam/term.h"

namespace beam_exporter::beam {

namespace {

// No heap is larger than user space.
constexpr std::uint64_t most_words = std::uint64_t{1} << 44;
// ERTS_PSFLG_FREE, erl_process.h (OTP 25 and 27).
constexpr std::uint32_t free_flag = 1u << 10;

// How much of each struct is read: up to the last member that we look at.
std::uint32_t bytes_needed(const ProcessLayout& process) {
  std::uint32_t end = 0;
  process.fields(process, [&](std::string_view, const auto& field, Need) {
    if (field.present()) end = std::max(end, field.offset + field.width);
  });
  return end;
}

std::uint64_t heap_words(StructBytes process, const ProcessLayout& at) {
  const std::uint64_t old_begin = process.get(at.old_heap).value_or(0);
  const std::uint64_t old_end = process.get(at.old_hend).value_or(0);
  const std::uint64_t old = old_begin != 0 && old_end > old_begin ? (old_end - old_begin) / 8 : 0;
  const std::uint64_t young = process.get(at.heap_words).value_or(0);
  const std::uint64_t fragments = process.get(at.fragment_words).value_or(0);
  if (old > most_words || young > most_words || fragments > most_words) return most_words;
  return old + young + fragments;
}

}  // namespace

namespace {

using Used = ProcessSlots::Used;

// The structs of many processes, read as the stretches of memory they lie in: the kernel's work is
// by the page and by the piece, and the VM has laid them out side by side (fix_alloc).
class StructReader {
 public:
  StructReader(const os::Memory& memory, std::uint32_t size) : memory_(memory), size_(size) {
    buffer_.resize(batch_bytes + size);
  }

  // Calls take(used, bytes) for each, in the order of `used`, which is by address; the bytes are
  // empty where they cannot be read.
  template <class Take>
  void read(std::span<const Used> used, Take take) {
    while (!used.empty()) {
      const std::size_t many = collect(used);
      memory_.read_batch(requests_);
      reads += requests_.size();
      for (std::size_t k = 0; k < many; ++k) take(used[k], struct_at(used[k].process, places_[k]));
      used = used.subspan(many);
    }
  }

  std::uint64_t reads = 0;

 private:
  static constexpr std::size_t batch_bytes = 1 << 20, most_pieces = 1024;
  // What is between two structs is read along when it is less than this.
  static constexpr std::uint64_t widest_gap = 1024;

  struct Place {
    std::size_t piece = 0, offset = 0;  // request, and offset in its bytes
  };

  // Makes pieces of as many as fit; at least one.
  std::size_t collect(std::span<const Used> used) {
    requests_.clear();
    places_.clear();
    std::size_t filled = 0;
    for (const auto& [slot, process] : used) {
      const os::Address end = requests_.empty() ? 0 : piece_end();
      const bool beside = end != 0 && process >= end && process - end <= widest_gap;
      const std::size_t more = beside ? process - end + size_ : size_;
      if (filled + more > buffer_.size() || (!beside && requests_.size() == most_pieces)) break;
      if (beside)
        requests_.back().into = std::span(buffer_).subspan(filled - requests_.back().into.size(),
                                                           requests_.back().into.size() + more);
      else
        requests_.push_back({process, std::span(buffer_).subspan(filled, more)});
      filled += more;
      places_.push_back({requests_.size() - 1, requests_.back().into.size() - size_});
    }
    return places_.size();
  }

  os::Address piece_end() const { return requests_.back().from + requests_.back().into.size(); }

  // A stretch may have a hole by now: then each of its structs for itself.
  std::span<const std::byte> struct_at(os::Address process, const Place& place) {
    const auto& piece = requests_[place.piece];
    const auto bytes = piece.into.subspan(place.offset, size_);
    if (piece.ok) return bytes;
    ++reads;
    return memory_.read(process, bytes) ? bytes : std::span<std::byte>();
  }

  const os::Memory& memory_;
  std::uint32_t size_;
  std::vector<std::byte> buffer_;
  std::vector<os::ReadRequest> requests_;
  std::vector<Place> places_;
};

std::optional<ProcessScan> scan_once(const Layout& layout, const os::Memory& memory,
                                     os::Address table) {
  auto slots = read_process_slots(layout, memory, table);
  if (!slots) return std::nullopt;
  const auto& at = layout.process;
  std::ranges::sort(slots->used, {}, &Used::process);
  ProcessScan scan{.count = slots->count};
  scan.processes.reserve(slots->used.size());
  MessageQueues queues(layout, memory);
  MailboxHeaps mailboxes(layout, memory);
  StructReader structs(memory, bytes_needed(at));
  structs.read(slots->used, [&](const Used& used, std::span<const std::byte> bytes) {
    const StructBytes process(bytes);
    ScannedProcess out;
    out.id = process.get(at.id).value_or(0);
    const bool own = is_internal_pid(out.id) && slots->slot_of(out.id) == used.slot &&
                     (process.get(at.state).value_or(0) & free_flag) == 0;
    const std::uint64_t words = own ? heap_words(process, at) : most_words;
    if (words >= most_words) {
      ++scan.torn;
      return;
    }
    out.heap_bytes = words * 8;
    out.registered = process.get(at.reg).value_or(0);
    out.dictionary = process.get(at.dictionary).value_or(0);
    out.initial = {process.get(at.initial_module).value_or(0),
                   process.get(at.initial_function).value_or(0),
                   static_cast<std::uint32_t>(process.get(at.initial_arity).value_or(0))};
    out.messages = queues.add(scan.processes.size(), process);
    mailboxes.add(scan.processes.size(), process);
    scan.processes.push_back(out);
  });
  scan.reads = structs.reads + queues.finish([&](std::size_t process, std::uint64_t more) {
    scan.processes[process].messages += more;
  });
  scan.reads += mailboxes.finish([&](std::size_t index, const MailboxHeap& mailbox) {
    auto& process = scan.processes[index];
    process.heap_bytes += mailbox.words * 8;
    scan.unmeasured_messages += mailbox.unread;
    if (!mailbox.whole && process.messages > mailbox.measured + mailbox.unread)
      scan.unmeasured_messages += process.messages - mailbox.measured - mailbox.unread;
  });
  scan.whole = scan.torn <= slots->used.size() / 8;
  scan.torn += queues.torn() + mailboxes.torn();
  return scan;
}

}  // namespace

std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table) {
  constexpr int most_tries = 3;
  std::uint64_t torn = 0;
  for (int tries = 0; tries < most_tries; ++tries) {
    auto scan = scan_once(layout, memory, table);
    if (!scan) return std::nullopt;
    torn += scan->torn;
    if (!scan->whole) continue;
    scan->torn = torn;
    return scan;
  }
  return std::nullopt;
}

}  // namespace beam_exporter::beam
