#pragma once

#include <cstddef>

#include "profile/profile.h"

// What all processes of a VM do at one moment, by stack: as Go's goroutine profile, for a VM. Made
// by session::process_profile(). Plain data.
namespace beam_exporter::profile {

struct ProcessEntry {
  Index stack = 0, labels = 0;
  std::uint64_t processes = 0;
  std::uint64_t heap_bytes = 0;  // of them together, as process_info's total_heap_size
};

struct ProcessProfile {
  std::vector<Function> functions;
  std::vector<Frame> frames;
  // The innermost first. A process that has no stack to be read has one frame of kind `other`.
  std::vector<std::vector<Index>> stacks;
  std::vector<Labels> labels;         // `state` is the status; `process` a registered name or ""
  std::vector<ProcessEntry> entries;  // each pair of stack and labels once

  std::chrono::system_clock::time_point begin{};
  std::string target;
  std::uint64_t processes = 0;            // in all entries, and lost
  std::uint64_t running = 0;              // on a scheduler: their stacks do not stand still
  std::uint64_t without_stack = 0;        // they hibernate, or begin
  std::uint64_t torn = 0;                 // ran or ended while they were read; not in `processes`
  std::uint64_t lost = 0;                 // beyond the bounds of a StackTable: in no entry
  std::uint64_t unmeasured_messages = 0;  // of which heap_bytes has nothing

  const Function& function_of(Index frame) const { return functions[frames[frame].function]; }
};

// "gen_server:loop/7 (gen_server.erl:1084)". `line` 0: not known.
std::string frame_text(const Function& function, std::uint32_t line);

// Names of frames of kind `other`.
inline constexpr std::string_view frames_left_out = "frames left out";

// The processes of one stack, whatever their labels are.
struct ProcessGroup {
  std::vector<std::string> frames;  // the top first: "gen_server:loop/7 (gen_server.erl:1084)"
  std::uint64_t processes = 0, heap_bytes = 0;
};

enum class ProcessOrder : std::uint8_t { processes, heap };

// Those that have a stack, the largest first.
std::vector<ProcessGroup> process_groups(const ProcessProfile& profile, ProcessOrder order);

// The groups as people read them, at most `limit`; the heap is told when it orders them.
std::string process_text(const ProcessProfile& profile, ProcessOrder order, std::size_t limit);

}  // namespace beam_exporter::profile
