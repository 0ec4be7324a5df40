#include "elf/return_address.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "elf/call_before.h"

namespace beam_exporter::elf {

namespace {

constexpr std::size_t most_searched = std::size_t{32} << 10;
constexpr std::size_t most_returns = 32;

enum class Calls { another, perhaps, it };

// Visits the words that are a return address behind a call, upwards, until `visit(slot, calls)` is
// false. `judge` tells of the call whether it has led here.
template <class Judge, class Visit>
void search(LoadedObjects& objects, os::Address first, const StackBytes& stack,
            const std::function<bool(os::Address)>& is_end, Judge judge, Visit visit) {
  for (os::Address slot = first; slot - first < most_searched; slot += sizeof(os::Address)) {
    const auto word = stack.word(slot);
    if (!word) break;
    if (*word == 0 || (objects.at(*word - 1) == nullptr && !is_end(*word))) continue;
    const auto calls = judge(call_before(objects.memory(), *word));
    if (calls != Calls::another && !visit(slot, calls)) break;
  }
}

// Follows the jumps by which a function leaves its return address to another one, which may jump
// again. gcc -Os makes long rows of them: a scheduler waits in wait__() behind erts_tse_twait() and
// ethr_event_twait(), and wakes another one behind six (OTP 27, as Alpine compiles it).
class Jumps {
 public:
  Jumps(LoadedObjects& objects, os::Address to) : objects_(&objects), to_(to) {}

  // `perhaps`: one of them jumps by a pointer, as wakeup_managed() does
  // (beam/erl_thr_progress.c, 27).
  Calls lead_from(os::Address function) {
    if (look(function, most_in_a_row)) return Calls::it;
    return by_pointer_ ? Calls::perhaps : Calls::another;
  }

 private:
  bool look(os::Address from, std::size_t left) {
    if (left == 0 || functions_++ >= most_functions) return false;
    const auto code = code_of(from);
    std::vector<os::Address> others;
    for (std::size_t at = 0; at + 2 <= code.size(); ++at) {
      by_pointer_ |= is_jump_by_pointer(code, at);
      const auto target = target_of(std::span(code).subspan(at), from + at);
      if (target == to_) return true;
      if (target && is_function(*target) && std::ranges::find(others, *target) == others.end())
        others.push_back(*target);
    }
    return std::ranges::any_of(others, [&](os::Address next) { return look(next, left - 1); });
  }

  std::vector<std::byte> code_of(os::Address from) {
    LoadedObject* const object = objects_->at(from);
    const auto* function =
        object != nullptr ? object->symbols().beginning_at(from - object->bias) : nullptr;
    if (function == nullptr) return {};
    std::vector<std::byte> code(std::min<std::uint64_t>(function->range.size(), most_code));
    if (!objects_->memory().read(from, code)) return {};
    return code;
  }

  bool is_function(os::Address target) {
    LoadedObject* const object = objects_->at(target);
    return object != nullptr && object->symbols().beginning_at(target - object->bias) != nullptr;
  }

  // Of `jmp rel8`, `jmp rel32`, the same with a condition (so clang leaves
  // erts_check_io_interrupt() of 27) and `jmp *slot(%rip)` at the begin of that code, which is at
  // `address`; nullopt: no such jump is there.
  std::optional<os::Address> target_of(std::span<const std::byte> code, os::Address address) {
    const auto relative = [&](std::size_t end, auto distance) {
      std::memcpy(&distance, code.data() + end - sizeof distance, sizeof distance);
      return address + end + static_cast<std::uint64_t>(std::int64_t{distance});
    };
    const auto condition = [&](std::size_t at, unsigned opcode) {
      return (std::to_integer<unsigned>(code[at]) & 0xf0) == opcode;
    };
    if (code[0] == std::byte{0xeb} || condition(0, 0x70)) return relative(2, std::int8_t{});
    if (code[0] == std::byte{0x0f} && condition(1, 0x80) && code.size() >= 6)
      return relative(6, std::int32_t{});
    if (code[0] == std::byte{0xe9} && code.size() >= 5)
      return behind_plt(objects_->memory(), relative(5, std::int32_t{}));
    if (code[0] == std::byte{0xff} && code[1] == std::byte{0x25} && code.size() >= 6)
      return objects_->memory().value<os::Address>(relative(6, std::int32_t{}));
    return std::nullopt;
  }

  // `jmp *register`, or `jmp *offset(register)`. A switch jumps so too, to an address that it has
  // added up just before (add r64,r64), or has marked (notrack).
  static bool is_jump_by_pointer(std::span<const std::byte> code, std::size_t at) {
    const auto byte = [&](std::size_t k) { return std::to_integer<unsigned>(code[k]); };
    if (byte(at) != 0xff || (byte(at + 1) >> 3 & 7) != 4) return false;
    const unsigned mode = byte(at + 1) >> 6, base = byte(at + 1) & 7;
    if (mode != 3) return base != 4 && (mode != 0 || base != 5);
    const std::size_t begin = at > 0 && byte(at - 1) == 0x41 ? at - 1 : at;  // r8 to r15
    const bool marked = begin >= 1 && byte(begin - 1) == 0x3e;
    const bool added = begin >= 3 && byte(begin - 3) >> 3 == 0x48 >> 3 && byte(begin - 2) == 0x01;
    return !marked && !added;
  }

  static constexpr std::size_t most_code = 4096, most_in_a_row = 8, most_functions = 32;
  LoadedObjects* objects_;
  os::Address to_;
  std::size_t functions_ = 0;
  bool by_pointer_ = false;
};

// Whether a call has led to the function that begins at `begin`.
Calls leads_to(LoadedObjects& objects, const CallBefore& call, os::Address begin) {
  using Kind = CallBefore::Kind;
  if (call.kind == Kind::none) return Calls::another;
  if (call.kind == Kind::by_pointer) return Calls::perhaps;
  if (call.function == begin) return Calls::it;
  const auto jumps = Jumps(objects, begin).lead_from(call.function);
  return jumps == Calls::another && call.kind == Kind::by_slot ? Calls::perhaps : jumps;
}

}  // namespace

std::optional<os::Address> find_framed_return(LoadedObjects& objects, os::Address address,
                                              os::Address stack_pointer, const StackBytes& stack,
                                              const std::function<bool(os::Address)>& is_end) {
  LoadedObject* object = objects.at(address);
  const auto* function = object != nullptr ? object->symbols().at(address - object->bias) : nullptr;
  if (function == nullptr || function->moved_out) return std::nullopt;
  const os::Address begin = function->range.begin + object->bias;
  std::optional<os::Address> found, perhaps;
  const auto judge = [&](const CallBefore& call) { return leads_to(objects, call, begin); };
  const auto visit = [&](os::Address slot, Calls calls) {
    auto& first = calls == Calls::it ? found : perhaps;
    if (!first) first = slot;
    return !found;
  };
  // The saved rbp is below the return address.
  search(objects, stack_pointer + sizeof(os::Address), stack, is_end, judge, visit);
  return found ? found : perhaps;
}

void try_bare_returns(LoadedObjects& objects, os::Address address, os::Address stack_pointer,
                      const StackBytes& stack, const std::function<bool(os::Address)>& is_end,
                      const std::function<bool(os::Address)>& leads_on) {
  LoadedObject* const object = objects.at(address);
  if (object == nullptr) return;
  // What it exports, or has a symbol for, has bounds.
  const auto* function = object->symbols().at(address - object->bias);
  const auto judge = [&](const CallBefore& call) {
    if (function != nullptr && !function->moved_out)
      return leads_to(objects, call, function->range.begin + object->bias);
    if (call.kind == CallBefore::Kind::by_pointer) return Calls::perhaps;
    const bool leads_here =
        objects.at(call.function) == object && !object->has_rules(call.function);
    return leads_here ? Calls::it : Calls::another;
  };
  std::size_t tried = 0;
  bool found = false;
  std::vector<os::Address> perhaps;
  search(objects, stack_pointer, stack, is_end, judge, [&](os::Address slot, Calls calls) {
    if (calls == Calls::perhaps) {
      if (perhaps.size() < most_returns) perhaps.push_back(slot);
      return true;
    }
    found = leads_on(slot);
    return !found && ++tried < most_returns;
  });
  for (auto slot = perhaps.begin(); !found && slot != perhaps.end() && tried < most_returns;
       ++slot, ++tried)
    found = leads_on(*slot);
}

bool may_have_called(LoadedObjects& objects, os::Address return_address, os::Address callee) {
  const auto call = call_before(objects.memory(), return_address);
  LoadedObject* const object = objects.at(callee);
  const auto* function = object != nullptr ? object->symbols().at(callee - object->bias) : nullptr;
  // Of a part that was moved out of its function, and of code of which nobody tells where it
  // begins, any call will do.
  if (function == nullptr || function->moved_out) return call.kind != CallBefore::Kind::none;
  return leads_to(objects, call, function->range.begin + object->bias) != Calls::another;
}

bool ends_the_thread(LoadedObjects& objects, os::Address return_address) {
  // mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall; hlt (musl's src/thread/x86_64/clone.s)
  constexpr std::size_t most_before = 12;
  constexpr std::array<std::byte, 3> syscall_hlt = {std::byte{0x0f}, std::byte{0x05},
                                                    std::byte{0xf4}};
  std::array<std::byte, most_before + syscall_hlt.size()> code{};
  if (call_before(objects.memory(), return_address).kind != CallBefore::Kind::by_pointer ||
      !objects.memory().read(return_address, code))
    return false;
  // Not std::ranges::search: clang-tidy's clang 14 does not know its result.
  return std::search(code.begin(), code.end(), syscall_hlt.begin(), syscall_hlt.end()) !=
         code.end();
}

}  // namespace beam_exporter::elf
