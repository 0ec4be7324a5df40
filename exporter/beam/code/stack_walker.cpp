#include "beam/code/stack_walker.h"

#include <utility>

#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

class FrameWalker {
 public:
  FrameWalker(CodeIndex& code, std::chrono::nanoseconds when) : code_(code), when_(when) {}

  void begin(const StackTop& top) {
    if (top.instruction)
      stack.top = add(code_.function_at(*top.instruction, when_), *top.instruction);
    else if (top.return_to)
      stack.top = add(code_.caller_at(*top.return_to, when_), *top.return_to - 1);
  }
  void add_caller(os::Address return_address) {
    add(code_.caller_at(return_address, when_), return_address - 1);
  }

  // Before `mov rbp, rsp` in the callee, and after `leave`, rbp is that of the caller. Then the
  // return address is at the stack pointer, or one word above it when rbp has just been pushed.
  os::Address follow_from_call(const StackWindow& window, os::Address frame_pointer) {
    const auto word = [&](std::size_t index) {
      return index < window.words.size() ? window.words[index] : 0;
    };
    const bool pushed = word(0) == frame_pointer;
    const std::uint64_t return_address = word(pushed ? 1 : 0);
    if (frame_pointer != window.begin && is_continuation_pointer(return_address) &&
        code_.caller_at(return_address, when_).mfa != nullptr)
      add_caller(return_address);
    return follow(window, frame_pointer);
  }

  // Frames are {caller's rbp, return address}. Returns the address from which scan() must continue.
  os::Address follow(const StackWindow& window, os::Address frame_pointer) {
    os::Address reached = window.begin;
    while (frame_pointer >= reached && frame_pointer % 8 == 0 && frame_pointer < window.end()) {
      const std::size_t word = (frame_pointer - window.begin) / 8;
      if (word + 1 >= window.words.size()) break;
      const os::Address return_address = window.words[word + 1];
      if (!is_continuation_pointer(return_address)) break;
      add_caller(return_address);
      reached = frame_pointer + 16;
      frame_pointer = window.words[word];
    }
    return reached;
  }

  void scan(const StackWindow& window, os::Address from) {
    for (os::Address at = from; at < window.end(); at += 8) {
      const std::uint64_t word = window.words[(at - window.begin) / 8];
      if (is_continuation_pointer(word)) add_caller(word);
    }
  }

  ErlangStack stack;

 private:
  CodeMiss add(const CodeAnswer& answer, os::Address address) {
    if (answer.mfa != nullptr) stack.frames.push_back({address, *answer.mfa});
    return answer.miss;
  }

  CodeIndex& code_;
  std::chrono::nanoseconds when_;
};

}  // namespace

ErlangStack walk_stack(CodeIndex& code, const StackTop& top, const StackWords& words,
                       std::chrono::nanoseconds when) {
  FrameWalker walker(code, when);
  walker.begin(top);
  os::Address from = words.top.begin;
  if (top.frame_pointer != 0)
    from = top.instruction ? walker.follow_from_call(words.top, top.frame_pointer)
                           : walker.follow(words.top, top.frame_pointer);
  walker.scan(words.top, from);
  if (!words.bottom.words.empty() && words.bottom.begin > words.top.end())
    walker.stack.gap = walker.stack.frames.size();
  walker.scan(words.bottom, words.bottom.begin);
  return std::move(walker.stack);
}

}  // namespace beam_exporter::beam
