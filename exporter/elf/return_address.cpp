#include "elf/return_address.h"

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
                  if (call.kind != Kind::by_pointer && call.function == begin) return Calls::it;
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
