#include "attribution/attribution.h"

#include <algorithm>

namespace beam_exporter::attribution {

namespace {

// The code of a function follows its ErtsCodeMFA (beam/code_ix.h, OTP 25 and 27).
constexpr std::uint64_t code_mfa_bytes = 24;

bool executing(const sampling::RawSample& sample) {
  return sample.process || sample.process_unreadable;
}

// Why the innermost address we know of led to no function.
Unattributed reason(const sampling::RawSample& sample, const beam::StackTop& top,
                    beam::CodeIndex& code) {
  const auto answer = top.instruction ? code.function_at(*top.instruction, sample.time)
                      : top.return_to ? code.caller_at(*top.return_to, sample.time)
                                      : beam::CodeAnswer{};
  if (answer.miss == beam::CodeMiss::changed) return Unattributed::code_changed;
  if (answer.miss == beam::CodeMiss::undecoded) return Unattributed::undecoded_module;
  return sample.process_unreadable ? Unattributed::process_unreadable : Unattributed::no_function;
}

// A frame further out must not take the place of an innermost one that we may not name.
bool top_is_nameless(const sampling::RawSample& sample, const beam::StackTop& top,
                     beam::CodeIndex& code) {
  const auto why = reason(sample, top, code);
  return why == Unattributed::code_changed || why == Unattributed::undecoded_module;
}

// Code that modules share has no name of its own. What was called there has its caller on top of
// the stack; what was jumped to has its caller's caller. That is a process about to yield, or to go
// on: its function then is in Process.current, and Process.i is in it (i_test_yield_shared and
// context_switch in jit/x86/instr_common.cpp and process_main.cpp, OTP 25 and 27).
bool yields(const sampling::RawSample& sample, const beam::StackTop& top,
            const beam::ErlangStack& stack, beam::CodeIndex& code) {
  const auto innermost = top.instruction ? top.instruction : top.return_to;
  if (!sample.process || !innermost || stack.frames.empty() ||
      code.function_at(*innermost, sample.time).miss != beam::CodeMiss::not_code ||
      code.called_shared_code(stack.frames.front().address + 1))
    return false;
  const auto* goes_on = code.function_at(sample.process->i, sample.time).mfa;
  const auto* current = code.function_at(sample.process->current + code_mfa_bytes, sample.time).mfa;
  return goes_on != nullptr && current != nullptr && *goes_on == *current;
}

}  // namespace

Attribution nameless(const sampling::RawSample& sample) {
  Attribution out;
  if (!executing(sample)) return out;
  out.state = out.folded = State::emulator;
  out.for_process = true;
  out.unattributed = Unattributed::code_changed;
  return out;
}

Attribution attribute(const sampling::RawSample& sample, beam::CodeIndex& code) {
  return executing(sample) ? attribute_process(sample, code) : Attribution{};
}

Attribution attribute_process(const sampling::RawSample& sample, beam::CodeIndex& code,
                              bool scheduled) {
  Attribution out;
  out.state = out.folded = State::emulator;
  out.for_process = true;
  beam::StackTop top = sample.top;
  if (scheduled && sample.process) top.instruction = sample.process->i;
  beam::ErlangStack stack = beam::walk_stack(code, top, sample.words(), sample.time);
  // Between the scheduler and a process that has no caller there is only where it goes on.
  const bool rootless = stack.frames.empty() && sample.process &&
                        reason(sample, top, code) == Unattributed::no_function;
  if (rootless || yields(sample, top, stack, code)) {
    top.instruction = sample.process->i;
    stack = beam::walk_stack(code, top, sample.words(), sample.time);
  }
  out.truncated = stack.truncated || sample.stack_cut;
  if (stack.frames.empty() || top_is_nameless(sample, top, code)) {
    out.unattributed = reason(sample, top, code);
    return out;
  }
  out.self = stack.frames.front().mfa;
  for (const auto& frame : stack.frames)
    // Recursion repeats itself: skip the cheap case before sorting.
    if (out.inclusive.empty() || out.inclusive.back() != frame.mfa)
      out.inclusive.push_back(frame.mfa);
  std::ranges::sort(out.inclusive);
  const auto repeated = std::ranges::unique(out.inclusive);
  out.inclusive.erase(repeated.begin(), repeated.end());
  return out;
}

}  // namespace beam_exporter::attribution
