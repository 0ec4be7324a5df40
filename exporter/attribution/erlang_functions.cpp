#include "attribution/erlang_functions.h"

#include <algorithm>
#include <utility>

#include "beam/code/stack_walker.h"

namespace beam_exporter::attribution {

namespace {

using beam::CodeMiss;

// The code of a function follows its ErtsCodeMFA (beam/code_ix.h, OTP 25 and 27).
constexpr std::uint64_t code_mfa_bytes = 24;

// True when the code on top has no name that we may use. Then the frame below must not be taken for
// the top.
bool top_may_not_be_named(const beam::ErlangStack& stack) {
  return stack.top == CodeMiss::changed || stack.top == CodeMiss::undecoded;
}

// True when a process is about to yield, or continues after that, in a fragment that the modules
// share. A fragment has no name. If it was called, its caller is on top of the stack. If it was
// jumped to, the caller of its caller is on top: so it is when a process yields. Then
// Process.current is the process's function, and Process.i lies in it (emit_i_test_yield_shared in
// beam/jit/x86/instr_common.cpp, context_switch in beam/jit/x86/process_main.cpp, OTP 25 and 27).
bool yields(const beam::ProcessFields& process, const beam::ErlangStack& stack,
            std::chrono::nanoseconds when, beam::CodeIndex& code) {
  if (stack.top != CodeMiss::not_code || code.called_shared_code(stack.frames.front().address + 1))
    return false;
  const auto* goes_on = code.function_at(process.i, when).mfa;
  const auto* current = code.function_at(process.current + code_mfa_bytes, when).mfa;
  return goes_on != nullptr && current != nullptr && *goes_on == *current;
}

// Whether the process's function is the one of Process.i, not the one on top of the stack.
bool is_where_it_goes_on(const sampling::ObservedThread& seen, const beam::ErlangStack& stack,
                         beam::CodeIndex& code) {
  if (!seen.process) return false;
  // The function of the process has no caller, so that the stack is empty while it is scheduled.
  // What was not seen at all is not empty.
  const bool unseen = seen.stack_cut && !seen.top.instruction && !seen.top.return_to;
  if (stack.frames.empty()) return !unseen && !top_may_not_be_named(stack);
  return yields(*seen.process, stack, seen.time, code);
}

beam::ErlangStack stack_of(const sampling::ObservedThread& seen, beam::CodeIndex& code,
                           bool scheduled) {
  beam::StackTop top = seen.top;
  if (scheduled && seen.process) top.instruction = seen.process->i;
  auto stack = beam::walk_stack(code, top, seen.words(), seen.time);
  if (!is_where_it_goes_on(seen, stack, code)) return stack;
  top.instruction = seen.process->i;
  return beam::walk_stack(code, top, seen.words(), seen.time);
}

Unattributed reason(const sampling::ObservedThread& seen, const beam::ErlangStack& stack) {
  if (stack.top == CodeMiss::changed) return Unattributed::code_changed;
  if (stack.top == CodeMiss::undecoded) return Unattributed::undecoded_module;
  return seen.process_unreadable ? Unattributed::process_unreadable : Unattributed::no_function;
}

std::vector<beam::Mfa> each_once(const std::vector<beam::ErlangFrame>& frames) {
  std::vector<beam::Mfa> functions;
  for (const auto& frame : frames)
    // A recursion repeats the same function: skip those before sorting.
    if (functions.empty() || functions.back() != frame.mfa) functions.push_back(frame.mfa);
  std::ranges::sort(functions);
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  return functions;
}

}  // namespace

ErlangFunctions erlang_functions(const sampling::ObservedThread& seen, beam::CodeIndex& code,
                                 bool scheduled) {
  auto stack = stack_of(seen, code, scheduled);
  ErlangFunctions out{.truncated = stack.truncated() || seen.stack_cut};
  if (stack.frames.empty() || top_may_not_be_named(stack)) {
    out.unattributed = reason(seen, stack);
  } else {
    out.self = stack.frames.front().mfa;
    out.inclusive = each_once(stack.frames);
    out.stack = std::move(stack);
  }
  return out;
}

ErlangFunctions unknown_functions(const sampling::ObservedThread& seen) {
  if (!seen.has_process()) return {};
  return {.unattributed = Unattributed::code_changed};
}

}  // namespace beam_exporter::attribution
