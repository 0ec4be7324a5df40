#include "beam/processes/process_batch.h"

namespace beam_exporter::beam {

namespace {

// No heap is larger than user space.
constexpr std::uint64_t most_words = std::uint64_t{1} << 44;

}  // namespace

std::optional<std::uint64_t> heap_words(StructBytes process, const ProcessLayout& at) {
  const std::uint64_t old_begin = process.get(at.old_heap).value_or(0);
  const std::uint64_t old_end = process.get(at.old_hend).value_or(0);
  const std::uint64_t old = old_begin != 0 && old_end > old_begin ? (old_end - old_begin) / 8 : 0;
  const std::uint64_t young = process.get(at.heap_words).value_or(0);
  const std::uint64_t fragments = process.get(at.fragment_words).value_or(0);
  if (old > most_words || young > most_words || fragments > most_words) return std::nullopt;
  const std::uint64_t words = old + young + fragments;
  return words < most_words ? std::optional(words) : std::nullopt;
}

bool ProcessBatch::add(os::Address address, StructBytes process) {
  const auto words = heap_words(process, *at_);
  if (!words) return false;
  ScannedProcess out;
  out.address = address;
  out.id = process.get(at_->id).value_or(0);
  out.heap_bytes = *words * 8;
  out.reductions = process.get(at_->reductions);
  out.state = process.get(at_->state).value_or(0);
  out.registered = process.get(at_->reg).value_or(0);
  out.dictionary = process.get(at_->dictionary).value_or(0);
  out.initial = {process.get(at_->initial_module).value_or(0),
                 process.get(at_->initial_function).value_or(0),
                 static_cast<std::uint32_t>(process.get(at_->initial_arity).value_or(0))};
  out.messages = queues_.add(processes_.size(), process);
  mailboxes_.add(processes_.size(), process);
  processes_.push_back(out);
  return true;
}

void ProcessBatch::finish() {
  reads_ += queues_.finish(
      [&](std::size_t process, std::uint64_t more) { processes_[process].messages += more; });
  reads_ += mailboxes_.finish([&](std::size_t process, const MailboxHeap& mailbox) {
    take_mailbox(mailbox, processes_[process]);
  });
}

void ProcessBatch::take_mailbox(const MailboxHeap& mailbox, ScannedProcess& process) {
  // Both may be plausible, and their sum no longer.
  if (process.heap_bytes / 8 + mailbox.words > most_words) {
    unmeasured_ += mailbox.measured + mailbox.unread;
    return;
  }
  process.heap_bytes += mailbox.words * 8;
  unmeasured_ += mailbox.unread;
  const std::uint64_t seen = mailbox.measured + mailbox.unread;
  if (!mailbox.whole && process.messages > seen) unmeasured_ += process.messages - seen;
}

}  // namespace beam_exporter::beam
