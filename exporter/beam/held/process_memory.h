#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "beam/held/amount.h"
#include "beam/held/link_sizes.h"
#include "beam/layout/layout.h"
#include "beam/processes/mailbox_heaps.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// Measures the memory of processes as process_info's `memory` (erts_process_memory in
// erl_process_dump.c, OTP 25 and 27): the struct, heaps, heap fragments, messages with what is
// attached to them, links, monitors, the process dictionary, saved argument registers. Left out,
// because they are rare or small: the buffer of process_flag(save_calls, N), and the markers of
// receive optimisation that stand between messages. A message from another node that is not
// decoded yet, and those in the parallel signal buffers, make an amount that is not `whole`.
// One thread.
class ProcessMemory {
 public:
  // Both must outlive it.
  ProcessMemory(const Layout& layout, const os::Memory& memory);

  // False: the layout does not say where all of it is.
  bool known() const;

  // `process` holds the bytes of the struct at `address`. finish() passes `index` back.
  void add(std::size_t index, os::Address address, StructBytes process);
  // Calls take(index, memory) for each process that was added. Afterwards more may be added.
  void finish(const std::function<void(std::size_t, const Amount&)>& take);

 private:
  struct Owner {
    std::size_t index;
    Amount memory;
  };
  struct Place {
    std::size_t owner;
    os::Address at;
  };
  void read_dictionaries();
  void read_signal_buffers();

  const Layout* layout_;
  const os::Memory* memory_;
  MailboxHeaps mailboxes_;
  LinkSizes links_;
  std::vector<Owner> owners_;
  std::vector<Place> dictionaries_, signal_buffers_;
};

}  // namespace beam_exporter::beam
