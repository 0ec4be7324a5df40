#include "elf/return_address.h"

#include <algorithm>
#include <cstring>
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

// `from` is a function that ends with a jump to `to`, so that it has left its return address to it.
bool jumps_to(LoadedObjects& objects, os::Address from, os::Address to) {
  constexpr std::size_t most_code = 4096;
  LoadedObject* const object = objects.at(from);
  const auto* function =
      object != nullptr ? object->symbols().beginning_at(from - object->bias) : nullptr;
  if (function == nullptr) return false;
  std::vector<std::byte> code(std::min<std::uint64_t>(function->range.size(), most_code));
  if (!objects.memory().read(from, code)) return false;
  const auto leads_there = [&](std::size_t end, auto distance) {
    std::memcpy(&distance, code.data() + end - sizeof distance, sizeof distance);
    return from + end + static_cast<std::uint64_t>(std::int64_t{distance}) == to;
  };
  for (std::size_t at = 0; at + 2 <= code.size(); ++at) {  // jmp rel8, jmp rel32
    if (code[at] == std::byte{0xeb} && leads_there(at + 2, std::int8_t{})) return true;
    if (code[at] == std::byte{0xe9} && at + 5 <= code.size() && leads_there(at + 5, std::int32_t{}))
      return true;
  }
  return false;
}

// Whether a call has led to the function that begins at `begin`.
Calls leads_to(LoadedObjects& objects, const CallBefore& call, os::Address begin) {
  using Kind = CallBefore::Kind;
  if (call.kind == Kind::none) return Calls::another;
  if (call.kind != Kind::by_pointer &&
      (call.function == begin || jumps_to(objects, call.function, begin)))
    return Calls::it;
  return call.kind == Kind::to ? Calls::another : Calls::perhaps;
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
  const auto judge = [&](const CallBefore& call) {
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

}  // namespace beam_exporter::elf
