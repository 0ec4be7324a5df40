#include "beam/processes/process_scan.h"

#include <algorithm>

#include "beam/processes/mailbox_heaps.h"
#include "beam/processes/message_queue.h"
#include "beam/processes/process_structs.h"
#include "beam/processes/process_table.h"

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

using Used = ProcessTable::Used;

// So many processes are kept at a time: 32 MiB of them, whatever the table says.
constexpr std::size_t most_gathered = std::size_t{1} << 21;
constexpr std::size_t scanned_together = 16384;
// Whether all have been found is asked while so many slots are left for each found process.
constexpr std::uint64_t worth_counting = 64;

class Scanner {
 public:
  Scanner(const Layout& layout, const os::Memory& memory, ProcessTable& table)
      : at_(layout.process),
        table_(&table),
        structs_(memory, bytes_needed(layout.process)),
        queues_(layout, memory),
        mailboxes_(layout, memory) {}

  void scan(std::span<const Used> used) {
    processes_.clear();
    slots_ += used.size();
    // What does not hold its own process has moved while it was read, or never will.
    constexpr int most_looks = 3;
    for (int looks = 1; !used.empty(); ++looks) {
      moved_.clear();
      structs_.read(used, [&](const Used& one, std::span<const std::byte> bytes) {
        if (!take(one, StructBytes(bytes))) moved_.push_back(one);
      });
      scan_.torn += moved_.size();
      now_ = moved_;
      table_->look_again(now_);
      still_.clear();
      for (std::size_t k = 0; k < moved_.size(); ++k)
        if (now_[k].process == moved_[k].process) still_.push_back(moved_[k]);
      if (looks == most_looks) {
        contradictions_ += still_.size();
        break;
      }
      used = still_;
    }
    scan_.reads += queues_.finish(
        [&](std::size_t process, std::uint64_t more) { processes_[process].messages += more; });
    scan_.reads += mailboxes_.finish([&](std::size_t process, const MailboxHeap& mailbox) {
      take_mailbox(mailbox, processes_[process]);
    });
    scan_.processes += processes_.size();
  }

  const std::vector<ScannedProcess>& processes() const { return processes_; }  // of the last scan()
  bool contradicts() const { return contradictions_ > slots_ / 8; }
  ProcessScan result() const {
    ProcessScan scan = scan_;
    scan.torn += queues_.torn() + mailboxes_.torn();
    scan.reads += structs_.reads();
    scan.count = table_->count().value_or(0);
    return scan;
  }

 private:
  bool take(const Used& used, StructBytes process) {
    ScannedProcess out;
    out.id = process.get(at_.id).value_or(0);
    if (!table_->owns(used.slot, out.id) || (process.get(at_.state).value_or(0) & free_flag) != 0)
      return false;
    const std::uint64_t words = heap_words(process, at_);
    if (words >= most_words) return false;
    out.heap_bytes = words * 8;
    out.registered = process.get(at_.reg).value_or(0);
    out.dictionary = process.get(at_.dictionary).value_or(0);
    out.initial = {process.get(at_.initial_module).value_or(0),
                   process.get(at_.initial_function).value_or(0),
                   static_cast<std::uint32_t>(process.get(at_.initial_arity).value_or(0))};
    out.messages = queues_.add(processes_.size(), process);
    mailboxes_.add(processes_.size(), process);
    processes_.push_back(out);
    return true;
  }

  void take_mailbox(const MailboxHeap& mailbox, ScannedProcess& process) {
    process.heap_bytes += mailbox.words * 8;
    scan_.unmeasured_messages += mailbox.unread;
    const std::uint64_t seen = mailbox.measured + mailbox.unread;
    if (!mailbox.whole && process.messages > seen)
      scan_.unmeasured_messages += process.messages - seen;
  }

  const ProcessLayout& at_;
  ProcessTable* table_;
  ProcessStructs structs_;
  MessageQueues queues_;
  MailboxHeaps mailboxes_;
  std::vector<Used> moved_, now_, still_;
  std::vector<ScannedProcess> processes_;
  ProcessScan scan_;
  std::uint64_t slots_ = 0, contradictions_ = 0;
};

}  // namespace

std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table,
                                          const std::function<void(const ScannedProcess&)>& take) {
  auto processes = ProcessTable::open(layout, memory, table);
  if (!processes) return std::nullopt;
  Scanner scanner(layout, memory, *processes);
  std::vector<Used> gathered, piece;
  const auto scan_gathered = [&] {
    std::ranges::sort(gathered, {}, &Used::process);
    for (std::span<const Used> left(gathered); !left.empty();
         left = left.subspan(std::min(left.size(), scanned_together))) {
      scanner.scan(left.first(std::min(left.size(), scanned_together)));
      std::ranges::for_each(scanner.processes(), take);
    }
    gathered.clear();
  };
  // The table first, in one go: a process that comes while others are read is none of this scan.
  gathered.reserve(std::min<std::size_t>(processes->count().value_or(0), most_gathered));
  for (std::uint64_t k = 0; k < processes->pieces(); ++k) {
    if (!processes->read_piece(k, piece)) return std::nullopt;
    if (gathered.size() + piece.size() > most_gathered) scan_gathered();
    gathered.insert(gathered.end(), piece.begin(), piece.end());
    // Most of a large table has never been used.
    const std::uint64_t left = (processes->pieces() - k - 1) * ProcessTable::slots_per_piece;
    if (gathered.size() * worth_counting < left && processes->are_all(gathered)) break;
  }
  scan_gathered();
  if (scanner.contradicts()) return std::nullopt;
  return scanner.result();
}

}  // namespace beam_exporter::beam
