#include "beam/held/process_memory.h"

#include <algorithm>

#include "beam/held/struct_batch.h"
#include "beam/processes/process_batch.h"
#include "beam/processes/process_fields.h"

namespace beam_exporter::beam {

namespace {

constexpr std::uint64_t word = sizeof(Eterm);
// MAX_ARG, erl_vm.h (OTP 25 and 27); a BIF that traps saves a few more.
constexpr std::uint64_t most_registers = 1024;
constexpr std::uint64_t most_held_bytes = std::uint64_t{1} << 47;  // user space is not larger
constexpr std::uint32_t most_dictionary_slots = 1u << 30;          // of a dictionary

}  // namespace

ProcessMemory::ProcessMemory(const Layout& layout, const os::Memory& memory)
    : layout_(&layout),
      memory_(&memory),
      mailboxes_(layout, memory, MailboxHeaps::Which::all),
      links_(layout, memory) {}

bool ProcessMemory::known() const {
  const auto& at = layout_->process;
  const auto& message = layout_->message;
  return links_.known() && at.abandoned_heap.present() && at.saved_registers.present() &&
         at.own_registers.present() && at.live_registers.present() && at.specific_data.present() &&
         at.inner_first.present() && at.middle_first.present() && at.incoming_first.present() &&
         message.next.present() && message.term.present() && message.attached.present() &&
         message.fragment_used.present() && layout_->heap_fragment.used.present() &&
         layout_->dictionary.slots.present() && layout_->specific_data.size != 0;
}

void ProcessMemory::add(std::size_t index, os::Address address, StructBytes process) {
  const auto& at = layout_->process;
  const std::size_t owner = owners_.size();
  Amount memory{.bytes = layout_->process.size};
  const auto words = heap_words(process, at);
  memory.torn = !words;
  memory.bytes += words.value_or(0) * word;
  if (process.get(at.abandoned_heap).value_or(0) != 0) {
    const auto begin = process.get(at.heap).value_or(0), end = process.get(at.hend).value_or(0);
    if (end > begin) memory.bytes += std::min(end - begin, most_held_bytes + 1);
  }
  const auto saved = process.get(at.saved_registers).value_or(0);
  if (saved != 0 && saved != at.own_registers.at(address)) {
    const auto live = process.get(at.live_registers).value_or(0);
    if (live > most_registers)
      memory.torn = true;
    else
      memory.bytes += live * word;
  }
  if (process.get(at.specific_data).value_or(0) != 0) memory.bytes += layout_->specific_data.size;
  if (const auto dictionary = process.get(at.dictionary).value_or(0); dictionary != 0)
    dictionaries_.push_back({owner, dictionary});
  if (const auto buffers = process.get(at.incoming_buffers).value_or(0); buffers != 0)
    signal_buffers_.push_back({owner, buffers});
  mailboxes_.add(owner, process);
  if ((process.get(at.state).value_or(0) & process_flags::exiting) == 0) links_.add(owner, process);
  owners_.push_back({index, memory});
}

void ProcessMemory::read_dictionaries() {
  std::vector<os::Address> places;
  for (const auto& one : dictionaries_) places.push_back(one.at);
  const auto& at = layout_->dictionary;
  read_structs(*memory_, places, at.size, [&](std::size_t k, std::span<const std::byte> bytes) {
    auto& memory = owners_[dictionaries_[k].owner].memory;
    const auto slots = StructBytes(bytes).get(at.slots);
    if (!slots || *slots == 0 || *slots > most_dictionary_slots)
      memory.torn = true;
    else  // PD_SZ2BYTES, erl_process_dict.c
      memory.bytes += at.size + (std::uint64_t{*slots} - 1) * word;
  });
  dictionaries_.clear();
}

void ProcessMemory::read_signal_buffers() {
  std::vector<os::Address> places;
  for (const auto& one : signal_buffers_) places.push_back(one.at);
  const auto& at = layout_->signal_buffers;
  if (!at.nonempty.present()) places.clear();
  read_structs(*memory_, places, at.size, [&](std::size_t k, std::span<const std::byte> bytes) {
    auto& memory = owners_[signal_buffers_[k].owner].memory;
    const auto used = StructBytes(bytes).get(at.nonempty);
    if (!used) memory.torn = true;
    if (used.value_or(0) != 0) memory.whole = false;
  });
  signal_buffers_.clear();
}

void ProcessMemory::finish(const std::function<void(std::size_t, const Amount&)>& take) {
  read_dictionaries();
  read_signal_buffers();
  mailboxes_.finish([&](std::size_t owner, const MailboxHeap& mailbox) {
    auto& memory = owners_[owner].memory;
    memory.bytes +=
        mailbox.words * word + (mailbox.measured + mailbox.unread) * layout_->message.size;
    if (!mailbox.whole || mailbox.unread > 0) memory.whole = false;
    if (mailbox.torn) memory.torn = true;
  });
  links_.finish([&](std::size_t owner, const Amount& links) {
    auto& memory = owners_[owner].memory;
    memory.bytes += links.bytes;
    if (!links.whole) memory.whole = false;
    if (links.torn) memory.torn = true;
  });
  for (auto& owner : owners_) {
    if (owner.memory.bytes > most_held_bytes) owner.memory.torn = true;
    take(owner.index, owner.memory);
  }
  owners_.clear();
}

}  // namespace beam_exporter::beam
