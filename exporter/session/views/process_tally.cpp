#include "session/views/process_tally.h"

#include "beam/processes/process_name.h"
#include "beam/processes/process_status.h"
#include "session/named_frame.h"

namespace beam_exporter::session {

namespace {

constexpr std::size_t most_registered = 1000;

}  // namespace

void ProcessTally::add(const beam::ProcessStack& process) {
  const auto stack = stack_of(process);
  const auto labels =
      table_.labels({.state = std::string(name_of(beam::process_status(process.process.state))),
                     .process = registered_name(process.figures)});
  if (!stack || !labels) {
    ++profile_.lost;
    return;
  }
  auto& sum = sums_[{*stack, *labels}];
  ++sum.processes;
  sum.heap_bytes += process.figures.heap_bytes;
}

profile::ProcessProfile ProcessTally::finish(const beam::ProcessStackScan& scan) {
  profile_.functions = table_.functions();
  profile_.frames = table_.frames();
  profile_.stacks = table_.stacks();
  profile_.labels = table_.all_labels();
  for (const auto& [key, sum] : sums_)
    profile_.entries.push_back({key.first, key.second, sum.processes, sum.heap_bytes});
  profile_.processes = scan.processes;
  profile_.torn = scan.torn;
  profile_.unmeasured_messages = scan.unmeasured_messages;
  return std::move(profile_);
}

std::optional<profile::Index> ProcessTally::stack_of(const beam::ProcessStack& process) {
  std::vector<profile::Index> stack;
  bool fits = true;
  const auto push = [&](Frame frame) {
    fits = fits && frame.has_value();
    if (frame) stack.push_back(*frame);
  };
  const auto& frames = process.stack.frames;
  if (process.process.running()) {
    ++profile_.running;
    push(other("running"));
  } else if (frames.empty()) {
    // Nobody else waits without a stack: a process that begins is runnable.
    const bool waits = beam::process_status(process.process.state) == beam::ProcessStatus::waiting;
    ++profile_.without_stack;
    push(other(waits ? "hibernating" : "no stack"));
  }
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const bool gap = process.stack.gap == k;
    if (gap) push(other(profile::frames_left_out));
    // A function that calls itself from one place is said once, as current_stacktrace does
    // (gather_stacktrace in beam_common.c, OTP 25 and 27).
    if (k == 0 || gap || frames[k].address != frames[k - 1].address) push(named(frames[k]));
  }
  return fits ? table_.stack(stack) : std::nullopt;
}

ProcessTally::Frame ProcessTally::other(std::string_view what) {
  return table_.frame({.kind = profile::FunctionKind::other, .name = std::string(what)}, 0);
}

ProcessTally::Frame ProcessTally::named(const beam::ErlangFrame& frame) {
  if (const auto known = known_.find(frame.address); known != known_.end()) return known->second;
  const auto named = named_frame(*vm_, *code_, *atoms_, frame);
  return known_.emplace(frame.address, table_.frame(named.function, named.line)).first->second;
}

std::string ProcessTally::registered_name(const beam::ScannedProcess& process) {
  if (registered_ == most_registered) return "";
  auto name = beam::registered_name(vm_->layout(), vm_->memory(), *atoms_, process);
  if (!name) return "";
  ++registered_;
  return std::move(*name);
}

}  // namespace beam_exporter::session
