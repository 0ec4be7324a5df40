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

// Finds the function at an address, in a sorted snapshot of the VM's code. refresh() compares the
// snapshot with the VM's own ranges, and reads again only what changed. A function is returned only
// if its module was there before `when` and is still there: so take samples, call refresh(), then
// ask. Whether a place still holds the same module is checked when that module is first looked up
// after a refresh: the work depends on what is sampled, not on what is loaded. One thread.
class CodeIndex {
 public:
  using Clock =
      std::function<std::chrono::nanoseconds()>;  // CLOCK_MONOTONIC, the clock of the samples

  CodeIndex(const Layout& layout, const os::Memory& memory, CodeRangesPlace place, Clock clock)
      : layout_(&layout), memory_(&memory), place_(place), clock_(std::move(clock)) {}

  // False when the VM's ranges could not be read completely. Then ask only for moments before the
  // last success.
  [[nodiscard]] bool refresh();

  // The function whose code held `address` at the moment `when` (not later than the last refresh).
  CodeAnswer function_at(os::Address address, std::chrono::nanoseconds when);

  // The function that a return address returns to. no_call when the address does not stand right
  // after a call, or when that cannot be read.
  CodeAnswer caller_at(os::Address return_address, std::chrono::nanoseconds when);

  // True when the call before this return address leads out of all modules: to a fragment that the
  // JIT's modules share. Precondition: caller_at() has found the caller.
  bool called_shared_code(os::Address return_address);

  // nullptr also when another module has taken its place; the next refresh() reads that one.
  const CodeModule* module_at(os::Address address);
  // The ranges of all modules at the last refresh, ascending.
  const std::vector<os::AddressRange>& ranges() const { return current_.ranges; }
  // Which of the three code indexes was active at the last refresh.
  std::uint32_t active_index() const { return current_.active_index; }
  std::size_t modules() const { return entries_.size(); }
  std::size_t functions() const;
  std::uint64_t undecoded() const;
  // The number of changes seen so far. When it changes, a cache by address must start again.
  std::uint64_t generation() const { return generation_; }

 private:
  enum class CallSite : std::uint8_t { none, call, call_of_shared_code };
  struct Entry {
    CodeModule module;  // only `range` and `header` are filled while !decoded
    bool decoded = false;
    std::chrono::nanoseconds since{};                      // when we saw it for the first time
    std::unordered_map<os::Address, CallSite> after_call;  // by return address
    std::uint64_t proven = 0;  // the number of the last refresh after which its place was compared
    bool replaced = false;     // its place holds something else now
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
