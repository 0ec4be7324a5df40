#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "beam/code/code_answer.h"
#include "beam/code/code_module.h"
#include "beam/code/code_ranges.h"

namespace beam_exporter::beam {

// Addresses to functions, from a sorted snapshot of the VM's code that is compared with the VM's
// own ranges on each refresh() and re-read only where they changed. A name is given only if its
// module was there before the moment asked for and is there still: refresh after taking samples,
// then ask. Whether a place still holds the module it held is asked of the VM when that module is
// first looked up after a refresh: work in proportion to what is sampled, not to what is loaded.
// One thread.
class CodeIndex {
 public:
  using Clock =
      std::function<std::chrono::nanoseconds()>;  // CLOCK_MONOTONIC, as samples are stamped

  CodeIndex(const Layout& layout, const os::Memory& memory, CodeRangesPlace place, Clock clock)
      : layout_(&layout), memory_(&memory), place_(place), clock_(std::move(clock)) {}

  // False when the VM's ranges could not be read whole: ask nothing newer than the last success.
  [[nodiscard]] bool refresh();

  // The function whose code holds `address`, at `when` (not later than the last refresh).
  CodeAnswer function_at(os::Address address, std::chrono::nanoseconds when);

  // The function that a return address leads back to; no_call unless it stands right after a call
  // (or when that cannot be read).
  CodeAnswer caller_at(os::Address return_address, std::chrono::nanoseconds when);

  // True when the call before this return address, which caller_at() has proven, led out of all
  // modules: into a fragment that the JIT's modules share.
  bool called_shared_code(os::Address return_address);

  // nullptr also when another module is found at its place: the next refresh() reads that.
  const CodeModule* module_at(os::Address address);
  // Where the code was at the last refresh, ascending.
  const std::vector<os::AddressRange>& ranges() const { return current_.ranges; }
  // Which of the three code indexes was active at the last refresh.
  std::uint32_t active_index() const { return current_.active_index; }
  std::size_t modules() const { return entries_.size(); }
  std::size_t functions() const;
  std::uint64_t undecoded() const;
  // Changes seen so far. A cache by address must start again when it moves.
  std::uint64_t generation() const { return generation_; }

 private:
  enum class CallSite : std::uint8_t { none, call, call_of_shared_code };
  struct Entry {
    CodeModule module;  // only `range` and `header` are filled while !decoded
    bool decoded = false;
    std::chrono::nanoseconds since{};  // when it had been seen for the first time
    std::unordered_map<os::Address, CallSite> after_call;  // by return address
    std::uint64_t proven = 0;  // number of the refresh since which its place has been compared
    bool replaced = false;     // and found to hold something else
  };

  Entry* entry_at(os::Address address);
  std::optional<CallSite> call_site(Entry& entry, os::Address return_address);
  bool leads_out_of_modules(os::Address target);
  bool holds_its_place(Entry& entry);
  void prove_all();
  void adopt(const CodeRanges& ranges);

  const Layout* layout_;
  const os::Memory* memory_;
  CodeRangesPlace place_;
  Clock clock_;
  std::vector<Entry> entries_;  // ascending by range
  CodeRanges current_;
  std::uint64_t refreshes_ = 0;
  std::uint64_t generation_ = 0;
};

}  // namespace beam_exporter::beam
