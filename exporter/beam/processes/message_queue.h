#pragma once

#include <functional>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Counts the messages that wait for each process of a scan. Most of them are counted in the process
// struct. finish() reads the rest for all processes together: the parallel signal buffers, which
// the VM uses when many processes send at once (OTP 25+), and, in OTP 27, the signals between
// messages, each of which counts the messages before it (ErtsNonMsgSignal.mlenoffs,
// erl_proc_sig_queue.h; not in OTP 26). One thread.
class MessageQueues {
 public:
  MessageQueues(const Layout& layout, const os::Memory& memory)
      : layout_(&layout), memory_(&memory) {}

  // `process` holds the bytes of a process struct. finish() passes `index` back. Returns the
  // messages that the struct counts.
  std::uint64_t add(std::size_t index, StructBytes process);

  // Calls more(index, messages) for the messages that are not counted in the struct; returns the
  // number of reads. Afterwards more processes may be added; the bound on all reads covers them
  // too.
  std::uint64_t finish(const std::function<void(std::size_t, std::uint64_t)>& more);

  // Buffers and chains of signals that could not be counted: they were freed meanwhile, or the
  // chain has no end.
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
  std::vector<Place> signals_;  // addresses of pointers to a signal
  std::size_t buffers_read_ = 0, chains_followed_ = 0;
  std::uint64_t signal_reads_ = 0;
  std::uint64_t torn_ = 0;
};

}  // namespace beam_exporter::beam
