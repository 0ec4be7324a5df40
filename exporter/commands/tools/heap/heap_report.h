#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

#include "beam/virtual_machine.h"
#include "commands/tools/heap/heap_look.h"

// What `beam_exporter heap` prints. One thread.
namespace beam_exporter::commands {

struct HeapRow {
  beam::ScannedProcess process;
  beam::Held held;
  // Bytes, messages or reductions since the first look; a new process has its value now. nullopt:
  // not known, or not of the whole.
  std::optional<std::int64_t> grown;
};

struct HeapReport {
  std::vector<HeapRow> rows;  // sorted; what is not known stands last
  beam::ProcessScan scan;
  HeapKey key = HeapKey::heap;
  bool compared = false;  // with a look before
  std::uint64_t given_up = 0;
  std::uint64_t heap_bytes = 0, messages = 0;
  std::array<std::uint64_t, 32> spread{};  // processes by the power of two that holds their KiB
};

// `before`: null when there was one look only. Pure.
HeapReport heap_report(const HeapLook* before, const HeapLook& now, HeapKey key);

// At most `limit` rows. They read names from the VM.
void print_heaps(beam::VirtualMachine& vm, const HeapReport& report, std::size_t limit,
                 std::ostream& out);
void print_heaps_json(beam::VirtualMachine& vm, const HeapReport& report, std::size_t limit,
                      std::ostream& out);

}  // namespace beam_exporter::commands
