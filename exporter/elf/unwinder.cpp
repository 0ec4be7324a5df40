#include "elf/unwinder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "elf/leave_frame.h"
#include "elf/return_address.h"

namespace beam_exporter::elf {

namespace {

using Registers = os::UserRegisters;
using IsEnd = std::function<bool(os::Address)>;

// A C stack that is deeper is a recursion (regular expressions); its innermost frames are what
// matters.
constexpr std::size_t most_frames = 256;
// Of all guesses together.
constexpr std::size_t most_steps = 4 * most_frames;

// A function saves what it changes of the registers that it must preserve (x86-64 psABI): without
// rules nobody knows where. rsp and rip are those of its caller.
void forget_preserved(Registers& registers) {
  for (const auto lost : {Registers::rbx, Registers::rbp, Registers::r12, Registers::r13,
                          Registers::r14, Registers::r15})
    registers.value[lost] = 0;
}

// A frame from which to go on.
struct Place {
  Registers registers;
  std::size_t depth = 0;  // frames within
  bool lost_frame_pointer = false;
  bool guessed = false;  // by which return address a frame within was left
};

// What the frames outside of a guess say of it.
enum class Trust {
  refuted,
  unproven,  // they end in a file that has no unwind tables at all, as musl's libc
  proven,    // each was called by the next one, until `stop`, or the first function of the thread
};

// The frames from one outwards.
struct Rest {
  NativeStack stack;
  Trust trust = Trust::refuted;
};

class Walk {
 public:
  Walk(LoadedObjects& objects, const StackBytes& stack, const IsEnd& stop)
      : objects_(&objects), stack_(stack), stop_(stop) {}

  Rest outwards(Place place) {
    Rest out{.stack = {.registers = place.registers}};
    for (; place.depth < most_frames && steps_ < most_steps; ++place.depth, ++steps_) {
      const os::Address address = place.registers[Registers::rip];
      out.stack.frames.push_back({address, 0});
      out.stack.registers = place.registers;
      if (stop_(address)) return end(std::move(out), UnwindEnd::reached, Trust::proven);
      // A return address may be the first byte after its function: look up the rules of the call
      // instruction.
      const os::Address inside = place.depth == 0 ? address : address - 1;
      LoadedObject* const object = objects_->at(inside);
      if (object == nullptr) return end(std::move(out), UnwindEnd::no_rules, Trust::refuted);
      const FrameRule* const rule = object->rules(inside);
      const bool bare = rule == nullptr && !object->has_rules(inside);
      if (bare && place.depth != 0 && ends_the_thread(*objects_, address))
        return end(std::move(out), UnwindEnd::thread_begin, Trust::proven);
      if (bare) return guess(std::move(out), place, inside);
      if (rule == nullptr) return end(std::move(out), UnwindEnd::no_rules, Trust::refuted);
      if (!has_caller(*rule)) return end(std::move(out), UnwindEnd::thread_begin, Trust::proven);
      if (!leave(*rule, inside, place))
        return end(std::move(out), UnwindEnd::no_stack, Trust::refuted);
      out.stack.frames.back().cfa = place.registers[Registers::rsp];
    }
    out.stack.registers = place.registers;
    return end(std::move(out), UnwindEnd::too_deep, Trust::unproven);
  }

 private:
  static Rest end(Rest out, UnwindEnd why, Trust trust) {
    out.stack.end = why;
    out.trust = trust;
    return out;
  }

  // The first function of a thread has none.
  static bool has_caller(const FrameRule& rule) {
    const auto kind = rule.registers[Registers::rip].kind;
    return kind == RegisterRule::Kind::at_cfa || kind == RegisterRule::Kind::computed;
  }

  bool leave(const FrameRule& rule, os::Address inside, Place& place) {
    auto& registers = place.registers;
    if (place.lost_frame_pointer && !rule.cfa_expression && rule.cfa_register == Registers::rbp) {
      const auto returns =
          find_framed_return(*objects_, inside, registers[Registers::rsp], stack_, stop_);
      if (!returns) return false;
      registers.value[Registers::rbp] =
          *returns + sizeof(os::Address) - static_cast<std::uint64_t>(rule.cfa_offset);
      place.lost_frame_pointer = false;
    }
    const auto frame_pointer = rule.registers[Registers::rbp].kind;
    if (frame_pointer == RegisterRule::Kind::at_cfa) place.lost_frame_pointer = false;
    if (!leave_frame(rule, stack_, registers)) return false;
    const os::Address returns = registers[Registers::rip];
    return !place.guessed || stop_(returns) || may_have_called(*objects_, returns, inside);
  }

  // Code without rules is left by the return address from which the stack leads on to its end: what
  // earlier calls have left on it breaks off where later ones have written.
  Rest guess(Rest out, const Place& place, os::Address inside) {
    const os::Address stack_pointer = place.registers[Registers::rsp];
    Rest best;
    try_bare_returns(*objects_, inside, stack_pointer, stack_, stop_, [&](os::Address slot) {
      auto rest = outwards(caller_at(slot, place));
      if (rest.trust > best.trust) {
        best = std::move(rest);
        out.stack.frames.back().cfa = slot + sizeof(os::Address);
      }
      return best.trust == Trust::proven;
    });
    if (best.trust == Trust::refuted) {
      const LoadedObject* const object = objects_->at(inside);
      const bool whole_file = object != nullptr && !object->frames;
      return end(std::move(out), UnwindEnd::no_rules,
                 whole_file ? Trust::unproven : Trust::refuted);
    }
    out.stack.frames.insert(out.stack.frames.end(), best.stack.frames.begin(),
                            best.stack.frames.end());
    out.stack.registers = best.stack.registers;
    return end(std::move(out), best.stack.end, best.trust);
  }

  Place caller_at(os::Address slot, Place place) const {
    auto& registers = place.registers;
    if (slot != registers[Registers::rsp]) {  // it has saved something
      forget_preserved(registers);
      place.lost_frame_pointer = true;
    }
    registers.value[Registers::rip] = stack_.word(slot).value_or(0);
    registers.value[Registers::rsp] = slot + sizeof(os::Address);
    place.guessed = true;
    ++place.depth;
    return place;
  }

  LoadedObjects* objects_;
  const StackBytes& stack_;
  const IsEnd& stop_;
  std::size_t steps_ = 0;
};

}  // namespace

NativeStack unwind(LoadedObjects& objects, const Registers& start, const StackBytes& stack,
                   const IsEnd& stop, KnownRegisters known) {
  const bool lost_frame_pointer = known == KnownRegisters::only_place;
  return Walk(objects, stack, stop)
      .outwards({.registers = start, .lost_frame_pointer = lost_frame_pointer})
      .stack;
}

}  // namespace beam_exporter::elf
