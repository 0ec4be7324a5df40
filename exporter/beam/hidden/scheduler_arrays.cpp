#include "beam/hidden/scheduler_arrays.h"

#include "beam/layout/remote_struct.h"
#include "beam/schedulers/schedulers.h"

namespace beam_exporter::beam {

namespace {

// The arrays begin at a cache line (erl_process.c, OTP 25 to 29).
constexpr os::Address array_alignment = 64;

// Its own number, and the two pointers that every scheduler has since before its thread started.
bool is_first_scheduler(const HiddenVm& vm, os::Address at, ThreadKind kind) {
  if (!is_scheduler(vm.layout, vm.memory, at, {kind, 1})) return false;
  const auto& fields = vm.layout.scheduler_data;
  const auto sleep_info = read_field(vm.memory, at, fields.ssi);
  const auto queue = read_field(vm.memory, at, fields.run_queue);
  return sleep_info && queue && read_field(vm.memory, *sleep_info, vm.layout.sleep_info.flags) &&
         read_field(vm.memory, *queue, vm.layout.run_queue.length);
}

}  // namespace

std::optional<os::Address> find_scheduler_array(const HiddenVm& vm, ThreadKind kind) {
  std::optional<os::Address> found, array;
  const auto& words = vm.data.words();
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto* mapping =
        words[k] != 0 && words[k] % array_alignment == 0 ? vm.map.find(words[k]) : nullptr;
    if (mapping == nullptr || !mapping->writable || words[k] == array ||
        !is_first_scheduler(vm, words[k], kind))
      continue;
    if (array) return std::nullopt;
    array = words[k];
    found = vm.data.address_of(k);
  }
  return found;
}

}  // namespace beam_exporter::beam
