#pragma once

#include <optional>
#include <span>
#include <vector>

#include "beam/layout/layout.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// erts_proc: which processes there are (erts/emulator/beam/erl_ptab.h ErtsPTab, OTP 25 and 27). The
// table has a slot for each process that `+P` allows, 1 GiB of them at most, so it is read piece by
// piece. A slot is filled when its process has an id, and emptied before the process is freed
// (erts_ptab_new_element, erts_ptab_delete_element): what a slot held before and after a process
// was read was there all the time. Any thread.
class ProcessTable {
 public:
  struct Used {
    std::uint64_t slot = 0;
    os::Address process = 0;  // 0: the slot is empty, or reserved
  };

  // nullopt when the memory at `place` cannot be read, or is no such table. `memory` outlives it.
  static std::optional<ProcessTable> open(const Layout& layout, const os::Memory& memory,
                                          os::Address place);

  std::uint64_t pieces() const { return (mask_ + slots_per_piece) / slots_per_piece; }
  // The used slots of one piece, in place of what `used` held; false when it cannot be read.
  [[nodiscard]] bool read_piece(std::uint64_t piece, std::vector<Used>& used);
  // What these slots hold by now.
  void look_again(std::span<Used> used) const;

  // True when these were all processes that there were at some moment since they were read.
  bool are_all(std::span<const Used> used) const;

  // What the VM counts now, exiting ones and a reserved slot included.
  std::optional<std::uint32_t> count() const;
  // True when the process of this slot may have that id. An id tells its slot: by its upper half up
  // to OTP 25, by its low bits above the tag since 26.
  bool owns(std::uint64_t slot, Eterm id) const;

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
