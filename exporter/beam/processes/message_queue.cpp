#include "beam/processes/message_queue.h"

#include <algorithm>
#include <bit>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// The VM may be changing a length that is negative; a length above the bound is torn. Both count as
// 0.
std::uint64_t length_of(std::optional<std::int64_t> length) {
  constexpr std::int64_t longest = std::int64_t{1} << 40;
  return length && *length > 0 && *length < longest ? static_cast<std::uint64_t>(*length) : 0;
}

// ERTS_PROC_SIG_INQ_BUFFERED_NR_OF_BUFFERS, erl_message.h (OTP 25 and 27).
constexpr std::size_t buffer_slots = 64;
constexpr std::size_t most_buffered = 4096;  // processes with buffers, 8 KiB each
constexpr int most_signals = 4096;           // of one chain
constexpr std::size_t most_chains = 65536;
constexpr std::uint64_t most_reads = 1u << 20;  // of all chains together

}  // namespace

std::uint64_t MessageQueues::add(std::size_t index, StructBytes process) {
  const auto& at = layout_->process;
  std::uint64_t messages = 0;
  for (const auto length :
       {at.queue_length, at.fetched_in_order, at.fetched, at.incoming_length, at.incoming})
    messages += length_of(process.get(length));
  if (const auto buffers = process.get(at.incoming_buffers).value_or(0);
      buffers != 0 && buffers_read_ + buffers_.size() < most_buffered)
    buffers_.push_back({index, buffers});
  if (!layout_->signal.messages_before.present()) return messages;
  for (const auto place : {at.fetched_signals, at.incoming_signals})
    if (const auto signal = process.get(place).value_or(0);
        signal != 0 && chains_followed_ + signals_.size() < most_chains)
      signals_.push_back({index, signal});
  return messages;
}

std::uint64_t MessageQueues::finish(const std::function<void(std::size_t, std::uint64_t)>& more) {
  const std::uint64_t reads = read_buffers(more);
  return reads + follow_signals(more);
}

std::uint64_t MessageQueues::read_buffers(
    const std::function<void(std::size_t, std::uint64_t)>& more) {
  const auto& at = layout_->signal_buffers;
  const std::uint32_t stride = layout_->signal_buffer.size;
  const auto length = at.length.present() ? at.length : at.messages;
  if (!length.present() || at.size == 0 || stride == 0) return 0;
  std::vector<std::byte> bytes(at.size);
  for (const auto& place : buffers_) {
    if (!memory_->read(place.at, bytes)) {
      ++torn_;
      continue;
    }
    const StructBytes array(bytes);
    std::uint64_t messages = 0;
    for (std::uint32_t slot = 0; slot < buffer_slots; ++slot) {
      const std::uint32_t step = slot * stride;
      messages += length_of(array.get(Field<std::int64_t>{length.offset + step, length.width}));
      if (!layout_->signal.messages_before.present()) continue;
      const auto signal =
          array.get(Field<os::Address>{at.signals.offset + step, at.signals.width}).value_or(0);
      if (signal != 0 && chains_followed_ + signals_.size() < most_chains)
        signals_.push_back({place.index, signal});
    }
    more(place.index, messages);
  }
  const std::size_t reads = buffers_.size();
  buffers_read_ += reads;
  buffers_.clear();
  return reads;
}

// Follows all chains together, one signal of each per step: reads the pointers first, then the
// signals that they point to. A chain counts only when we reach its end, so that a cycle counts
// nothing.
std::uint64_t MessageQueues::follow_signals(
    const std::function<void(std::size_t, std::uint64_t)>& more) {
  const auto& at = layout_->signal;
  std::uint64_t reads = 0;
  struct Chain {
    Place place;
    std::uint64_t messages = 0;
  };
  std::vector<Chain> chains, going_on;
  for (const auto& place : signals_) chains.push_back({place});
  chains_followed_ += signals_.size();
  signals_.clear();
  std::vector<os::Address> signals;
  std::vector<std::byte> bytes;
  std::vector<os::ReadRequest> requests;
  for (int hop = 0; hop < most_signals && signal_reads_ + reads < most_reads && !chains.empty();
       ++hop) {
    signals.assign(chains.size(), 0);
    requests.clear();
    for (std::size_t k = 0; k < chains.size(); ++k)
      requests.push_back({chains[k].place.at, os::bytes_of(signals[k])});
    memory_->read_batch(requests);
    reads += chains.size();
    going_on.clear();
    for (std::size_t k = 0; k < chains.size(); ++k) {
      if (!requests[k].ok)
        ++torn_;
      else if (signals[k] == 0)
        more(chains[k].place.index, chains[k].messages);
      else
        going_on.push_back({{chains[k].place.index, signals[k]}, chains[k].messages});
    }

    bytes.resize(going_on.size() * at.size);
    requests.clear();
    for (std::size_t k = 0; k < going_on.size(); ++k)
      requests.push_back({going_on[k].place.at, std::span(bytes).subspan(k * at.size, at.size)});
    memory_->read_batch(requests);
    reads += going_on.size();
    chains.clear();
    for (std::size_t k = 0; k < going_on.size(); ++k) {
      const std::size_t index = going_on[k].place.index;
      if (!requests[k].ok) {
        ++torn_;
        continue;
      }
      const StructBytes signal(requests[k].into);
      const std::uint64_t messages =
          going_on[k].messages + length_of(signal.get(at.messages_before));
      if (const auto next = signal.get(at.next).value_or(0); next != 0)
        chains.push_back({{index, next}, messages});
      else
        more(index, messages);
    }
  }
  torn_ += chains.size();
  signal_reads_ += reads;
  return reads;
}

}  // namespace beam_exporter::beam
