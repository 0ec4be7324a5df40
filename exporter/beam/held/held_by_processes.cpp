#include "beam/held/held_by_processes.h"

#include <algorithm>
#include <numeric>

#include "beam/held/off_heap_binaries.h"
#include "beam/held/process_memory.h"
#include "beam/held/struct_batch.h"
#include "beam/processes/process_fields.h"

namespace beam_exporter::beam {

namespace {

constexpr int common_looks = 2, looks_alone = 8;
constexpr std::uint64_t most_alone = 4096;  // of all processes
constexpr std::size_t measured_together = 16384;

// Neither the process nor a garbage collection has changed what it points to, as far as its struct
// shows: links may change below an equal root while it runs, and a process that runs adds its
// reductions when it stops.
bool unchanged(const ProcessLayout& at, StructBytes before, StructBytes after) {
  const auto same = [&](const auto& field) { return before.get(field) == after.get(field); };
  const auto collects = [&](StructBytes bytes) {
    return (bytes.get(at.state).value_or(0) & process_flags::gc) != 0;
  };
  return !collects(before) && !collects(after) && same(at.id) && same(at.heap) && same(at.hend) &&
         same(at.heap_words) && same(at.fragment_words) && same(at.old_heap) && same(at.old_hend) &&
         same(at.abandoned_heap) && same(at.dictionary) && same(at.reductions) && same(at.links) &&
         same(at.monitors) && same(at.target_monitors) && same(at.saved_registers) &&
         same(at.specific_data) && same(at.off_heap) && same(at.writable_binaries) &&
         same(at.fragments) && same(at.inner_first) && same(at.middle_first) &&
         same(at.incoming_first) && same(at.incoming_buffers);
}

class HeldMeter {
 public:
  HeldMeter(const Layout& layout, const os::Memory& memory,
            std::span<const ScannedProcess> processes, Holdings wanted)
      : at_(layout.process),
        memory_(&memory),
        processes_(processes),
        wanted_(wanted),
        process_memory_(layout, memory),
        binaries_(layout, memory) {
    look_.held.resize(processes.size());
  }

  // `todo`: indexes of processes.
  void measure(std::vector<std::size_t> todo) {
    for (int looks = 0; looks < common_looks && !todo.empty(); ++looks) todo = look(todo);
    // One alone takes the least time: it may do nothing meanwhile.
    for (const auto process : todo) {
      std::vector<std::size_t> alone{process};
      still_ = 0;
      for (int looks = 0; looks < looks_alone && !alone.empty() && alone_ < most_alone; ++looks) {
        alone = look(alone);
        ++alone_;
      }
      look_.given_up += alone.size();
      if (!alone.empty() && still_ == looks_alone) ++look_.contradictions;
    }
  }

  HeldLook take() { return std::move(look_); }

 private:
  // Returns those that have changed.
  std::vector<std::size_t> look(const std::vector<std::size_t>& todo) {
    std::vector<std::size_t> changed;
    const auto before = read(todo);
    add(todo, before);
    const auto after = read(todo);
    for (std::size_t k = 0; k < todo.size(); ++k) {
      const StructBytes first(part(before, k)), second(part(after, k));
      auto& held = look_.held[todo[k]];
      if (second.get(at_.id) != processes_[todo[k]].id) {
        held = {};  // it has ended
      } else if (const bool same = unchanged(at_, first, second);
                 !same || (held.memory && held.memory->torn) ||
                 (held.binaries && held.binaries->torn)) {
        if (same && stands_still(second)) ++still_;
        held = {};
        changed.push_back(todo[k]);
      }
    }
    return changed;
  }

  bool stands_still(StructBytes process) const {
    constexpr std::uint32_t moves =
        process_flags::any_running | process_flags::exiting | process_flags::free;
    return (process.get(at_.state).value_or(moves) & moves) == 0;
  }

  std::vector<std::byte> read(const std::vector<std::size_t>& todo) const {
    std::vector<os::Address> places;
    places.reserve(todo.size());
    for (const auto index : todo) places.push_back(processes_[index].address);
    // Zeros where a struct cannot be read: no process has the id 0.
    std::vector<std::byte> all(todo.size() * at_.size);
    read_structs(*memory_, places, at_.size, [&](std::size_t k, std::span<const std::byte> bytes) {
      std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(k * at_.size));
    });
    return all;
  }

  std::span<const std::byte> part(const std::vector<std::byte>& all, std::size_t k) const {
    return std::span(all).subspan(k * at_.size, at_.size);
  }

  void add(const std::vector<std::size_t>& todo, const std::vector<std::byte>& structs) {
    for (std::size_t k = 0; k < todo.size(); ++k) {
      const StructBytes process(part(structs, k));
      if (process.get(at_.id) != processes_[todo[k]].id) continue;
      if (wanted_.memory) process_memory_.add(todo[k], processes_[todo[k]].address, process);
      if (wanted_.binaries) binaries_.add(todo[k], process);
    }
    process_memory_.finish(
        [&](std::size_t index, const Amount& memory) { look_.held[index].memory = memory; });
    binaries_.finish(
        [&](std::size_t index, const Amount& held) { look_.held[index].binaries = held; });
  }

  const ProcessLayout& at_;
  const os::Memory* memory_;
  std::span<const ScannedProcess> processes_;
  Holdings wanted_;
  ProcessMemory process_memory_;
  OffHeapBinaries binaries_;
  HeldLook look_;
  std::uint64_t alone_ = 0;
  int still_ = 0;  // looks at a process that stood still, and whose memory was torn yet
};

}  // namespace

bool can_measure(const Layout& layout, Holdings wanted) {
  struct Nothing final : os::Memory {
    bool read(os::Address /*from*/, std::span<std::byte> /*into*/) const override { return false; }
  };
  const Nothing nothing;
  return (!wanted.memory || ProcessMemory(layout, nothing).known()) &&
         (!wanted.binaries || OffHeapBinaries(layout, nothing).known());
}

HeldLook measure_held(const Layout& layout, const os::Memory& memory,
                      std::span<const ScannedProcess> processes, Holdings wanted) {
  HeldMeter meter(layout, memory, processes, wanted);
  for (std::size_t first = 0; first < processes.size(); first += measured_together) {
    std::vector<std::size_t> todo(std::min(processes.size() - first, measured_together));
    std::iota(todo.begin(), todo.end(), first);
    meter.measure(std::move(todo));
  }
  return meter.take();
}

}  // namespace beam_exporter::beam
