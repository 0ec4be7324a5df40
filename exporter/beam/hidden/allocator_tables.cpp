#include "beam/hidden/allocator_tables.h"

#include <span>

#include "beam/allocators/allocator_instances.h"

namespace beam_exporter::beam {

namespace {

constexpr std::size_t most_names = 64;
// Fewer pointers into the other table could be there by chance.
constexpr int fewest_with_threads = 3;

std::optional<os::AddressRange> find_names(const HiddenVm& vm) {
  const auto& words = vm.data.words();
  for (std::size_t k = 0; k + 2 < words.size(); ++k) {
    // ERTS_ALC_A_INVALID is 0, ERTS_ALC_A_SYSTEM is 1 (erl_alloc.types, OTP 25 to 29).
    if (constant_text(vm, words[k]) != "invalid_allocator" ||
        constant_text(vm, words[k + 1]) != "sys_alloc")
      continue;
    std::size_t end = k + 2;
    while (end < words.size() && end - k < most_names && words[end] != 0 &&
           constant_text(vm, words[end]))
      ++end;
    return os::AddressRange{vm.data.address_of(k), vm.data.address_of(end)};
  }
  return std::nullopt;
}

// The begin of the other table, if the records from `begin` on point into one.
std::optional<os::Address> table_behind(const HiddenVm& vm, std::size_t begin,
                                        std::size_t records) {
  const auto& at = vm.layout.allocators.info;
  const auto bytes = std::as_bytes(std::span(vm.data.words()));
  if (begin + records * at.size > bytes.size()) return std::nullopt;
  std::optional<os::Address> table;
  int pointing = 0;
  for (std::size_t number = 0; number < records; ++number) {
    const StructBytes record(bytes.subspan(begin + number * at.size, at.size));
    const auto used = record.get(at.alloc_util).value_or(-1);
    const auto enabled = record.get(at.enabled).value_or(-1);
    const auto extra = record.get(at.extra).value_or(0);
    if (used < 0 || used > 1 || enabled < 0 || enabled > 1) return std::nullopt;
    if (used == 0 && extra != 0) return std::nullopt;
    const os::Address first = extra - number * vm.layout.allocators.threads.size;
    const os::AddressRange data{vm.data.begin(), vm.data.begin() + bytes.size()};
    if (used == 0 || !data.contains(first) || first % sizeof(os::Address) != 0) continue;
    if (!table) table = first;
    pointing += first == *table ? 1 : 0;
  }
  return pointing >= fewest_with_threads ? table : std::nullopt;
}

// Zeros before the table look like one record more, which moves all others by one: so each instance
// must hold its own number.
bool holds(const HiddenVm& vm, const AllocatorTables& tables) {
  StaticData data = vm.data;
  tell(tables, data);
  return static_cast<bool>(find_allocators(vm.layout, data, vm.memory));
}

}  // namespace

void tell(const AllocatorTables& tables, StaticData& data) {
  data.tell("erts_allctrs_info", tables.info);
  data.tell("erts_allctr_thr_spec", tables.threads);
  data.tell("erts_alc_a2ad", tables.names);
}

std::optional<AllocatorTables> find_allocator_tables(const HiddenVm& vm) {
  const auto names = find_names(vm);
  if (!names) return std::nullopt;
  const std::size_t records = names->size() / sizeof(os::Address);
  const auto& layout = vm.layout.allocators;
  for (std::size_t k = 0; k < vm.data.words().size(); ++k) {
    const auto threads = table_behind(vm, k * sizeof(os::Address), records);
    if (!threads) continue;
    const os::Address info = vm.data.address_of(k);
    const AllocatorTables found{*names,
                                {info, info + records * layout.info.size},
                                {*threads, *threads + records * layout.threads.size}};
    if (holds(vm, found)) return found;
  }
  return std::nullopt;
}

}  // namespace beam_exporter::beam
