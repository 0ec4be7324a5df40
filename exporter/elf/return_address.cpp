#include "elf/return_address.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "elf/call_before.h"

namespace beam_exporter::elf {

namespace {

constexpr std::size_t most_searched = std::size_t{32} << 10;

enum class Calls { another, perhaps, it };

// `judge` tells of the call before a return address whether it has led here.
template <class Judge>
std::optional<os::Address> search(LoadedObjects& objects, os::Address first,
                                  const StackBytes& stack,
                                  const std::function<bool(os::Address)>& is_end, Judge judge) {
  std::optional<os::Address> perhaps;
  for (os::Address slot = first; slot - first < most_searched; slot += sizeof(os::Address)) {
    const auto word = stack.word(slot);
    if (!word) break;
    if (*word == 0 || (objects.at(*word - 1) == nullptr && !is_end(*word))) continue;
    const auto calls = judge(call_before(objects.memory(), *word));
    if (calls == Calls::it) return slot;
    if (calls == Calls::perhaps && !perhaps) perhaps = slot;
  }
  return perhaps;
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

}  // namespace

std::optional<os::Address> find_framed_return(LoadedObjects& objects, os::Address address,
                                              os::Address stack_pointer, const StackBytes& stack,
                                              const std::function<bool(os::Address)>& is_end) {
  LoadedObject* object = objects.at(address);
  const auto* function = object != nullptr ? object->symbols().at(address - object->bias) : nullptr;
  if (function == nullptr || function->moved_out) return std::nullopt;
  const os::Address begin = function->range.begin + object->bias;
  // The saved rbp is below the return address.
  return search(objects, stack_pointer + sizeof(os::Address), stack, is_end,
                [&](const CallBefore& call) {
                  using Kind = CallBefore::Kind;
                  if (call.kind == Kind::none) return Calls::another;
                  if (call.kind != Kind::by_pointer &&
                      (call.function == begin || jumps_to(objects, call.function, begin)))
                    return Calls::it;
                  return call.kind == Kind::to ? Calls::another : Calls::perhaps;
                });
}

std::optional<os::Address> find_bare_return(LoadedObjects& objects, os::Address address,
                                            os::Address stack_pointer, const StackBytes& stack,
                                            const std::function<bool(os::Address)>& is_end) {
  LoadedObject* const object = objects.at(address);
  if (object == nullptr) return std::nullopt;
  return search(objects, stack_pointer, stack, is_end, [&](const CallBefore& call) {
    if (call.kind == CallBefore::Kind::by_pointer) return Calls::perhaps;
    const bool leads_here =
        objects.at(call.function) == object && object->rules(call.function) == nullptr;
    return leads_here ? Calls::it : Calls::another;
  });
}

}  // namespace beam_exporter::elf
