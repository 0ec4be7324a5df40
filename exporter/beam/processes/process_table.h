#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "beam/layout/layout.h"
#include "beam/processes/process_id.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// erts_proc, the table of all processes (ErtsPTab in erts/emulator/beam/erl_ptab.h, OTP 25 and 27).
// It has a slot for each process that `+P` allows, 1 GiB at most, so it is read piece by piece. The
// VM fills a slot when the process has its id, and empties it before it frees the process
// (erts_ptab_new_element and erts_ptab_delete_element in erl_ptab.c, OTP 25 and 27). So if a slot
// holds the same process before and after we read that process, it was valid all the time. Any
// thread.
class ProcessTable {
 public:
  struct Used {
    std::uint64_t slot = 0;
    os::Address process = 0;  // 0: the slot is empty, or reserved
  };

  // nullopt when the memory at `place` cannot be read, or is not such a table. `memory` must
  // outlive the table.
  static std::optional<ProcessTable> open(const Layout& layout, const os::Memory& memory,
                                          os::Address place);

  std::uint64_t pieces() const { return (mask_ + slots_per_piece) / slots_per_piece; }
  // Replaces the content of `used` by the used slots of one piece. False when the piece cannot be
  // read.
  [[nodiscard]] bool read_piece(std::uint64_t piece, std::vector<Used>& used);
  // Reads these slots again, and sets `process` of each to what the slot holds now.
  void look_again(std::span<Used> used) const;

  // Calls `take` for all used slots, at most `together` at a time and ordered by the address of the
  // process. Reads the table at once and before that: a process that starts while others are read
  // does not belong to this scan. False when a piece cannot be read: what was taken is to be
  // forgotten.
  [[nodiscard]] bool read_all(std::size_t together,
                              const std::function<void(std::span<const Used>)>& take);

  // True when, at some moment since they were read, these were all the processes.
  bool are_all(std::span<const Used> used) const;

  // The VM's own count now, including exiting processes and a reserved slot.
  std::optional<std::uint32_t> count() const;
  // True when the process in this slot may have that id. An id contains its slot: in its upper half
  // up to OTP 25, in its low bits above the tag from OTP 26 on.
  bool owns(std::uint64_t slot, Eterm id) const;
  ProcessIdForm id_form() const { return {slot_in_upper_half_, mask_}; }

  static constexpr std::uint64_t slots_per_piece = 1u << 14;

 private:
  ProcessTable(const os::Memory& memory, os::Address count, std::uint32_t count_width)
      : memory_(&memory), count_at_(count), count_width_(count_width) {}

  const os::Memory* memory_;
  os::Address count_at_;
  std::uint32_t count_width_;
  os::Address slots_at_ = 0, reserved_ = 0;
  std::uint64_t mask_ = 0;
  bool slot_in_upper_half_ = false;
  std::vector<os::Address> piece_;
};

}  // namespace beam_exporter::beam
