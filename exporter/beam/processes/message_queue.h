#pragma once

#include <functional>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// How many messages wait for each process of a scan. Most of the answer is in the process struct;
// what is elsewhere is collected by add() and read together by finish(): the buffers that many
// senders at once fill (OTP 25+), and from OTP 26 on the signals between messages, each of which
// counts the messages before it (erl_proc_sig_queue.c). One thread.
class MessageQueues {
 public:
  MessageQueues(const Layout& layout, const os::Memory& memory)
      : layout_(&layout), memory_(&memory) {}

  // `process` holds the bytes of a process struct; `index` is the caller's. What the struct tells.
  std::uint64_t add(std::size_t index, StructBytes process);

  // Calls more(index, messages) for what is elsewhere; returns the number of reads. Others may be
  // added afterwards: what is read in all has one bound.
  std::uint64_t finish(const std::function<void(std::size_t, std::uint64_t)>& more);

  // What was elsewhere and could not be counted: gone while we looked, or a chain without an end.
  std::uint64_t torn() const { return torn_; }

 private:
  struct Place {
    std::size_t index;
    os::Address at;
  };
  std::uint64_t read_buffers(const std::function<void(std::size_t, std::uint64_t)>& more);
  std::uint64_t follow_signals(const std::function<void(std::size_t, std::uint64_t)>& more);

  const Layout* layout_;
  const os::Memory* memory_;
  std::vector<Place> buffers_;
  std::vector<Place> signals_;  // places of pointers to a signal
  std::size_t buffers_read_ = 0, chains_followed_ = 0;
  std::uint64_t signal_reads_ = 0;
  std::uint64_t torn_ = 0;
};

}  // namespace beam_exporter::beam
