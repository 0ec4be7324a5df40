#include "beam/hidden/interpreter_code.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "beam/code/code_ranges.h"
#include "beam/code/interpreter.h"
#include "beam/code/relative_operands.h"
#include "elf/direct_calls.h"

namespace beam_exporter::beam {

namespace {

// process_main is the second largest function of OTP 28 and 29 (62 KB), behind one of the regular
// expressions.
constexpr std::size_t most_candidates = 32;
constexpr std::uint64_t largest_candidate = 1 << 20;  // more is forged
// Reads of the active code index: 16 in OTP 29.
constexpr std::size_t fewest_reads = 4;
// erts_schedule has 12 KB in OTP 28 and 29. Others that only process_main and one function more
// call have at most 3.5 KB.
constexpr std::uint64_t smallest_schedule = 4096;
// process_main and erts_dirty_process_main (emu/beam_emu.c and beam_common.c, OTP 28 and 29).
constexpr std::size_t callers_of_schedule = 2;

std::optional<os::AddressRange> find_process_main(const HiddenVm& vm,
                                                  const elf::NativeSymbols& symbols) {
  std::vector<os::AddressRange> functions;
  for (const auto& function : symbols.functions())
    if (function.range.size() <= largest_candidate) functions.push_back(function.range);
  std::ranges::stable_sort(functions, std::greater<>(), &os::AddressRange::size);
  if (functions.size() > most_candidates) functions.resize(most_candidates);
  std::vector<os::AddressRange> always, mostly;
  for (const auto& function : functions) {
    const os::AddressRange code{function.begin + vm.bias, function.end + vm.bias};
    if (const auto interpreter = find_interpreter(vm.layout, vm.memory, code))
      (interpreter->places.always ? always : mostly).push_back(code);
  }
  // What gcc makes proves more than what others do: where it is found, nothing else counts.
  const auto& found = always.empty() ? mostly : always;
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// The word in the VM's data that is read most often, if an index is there. The others of this width
// are read once.
std::optional<os::Address> active_code_index(const HiddenVm& vm, os::AddressRange function) {
  std::vector<std::byte> code(function.size());
  if (!vm.memory.read(function.begin, code)) return std::nullopt;
  const os::AddressRange data{vm.data.begin(), vm.data.address_of(vm.data.words().size())};
  std::map<os::Address, std::size_t> reads;
  std::size_t sum = 0;
  for (const auto place : words_moved(code, function.begin, load_word)) {
    const auto value = data.contains(place) ? vm.memory.value<std::uint32_t>(place) : std::nullopt;
    if (!value || *value >= code_indexes) continue;
    ++reads[place];
    ++sum;
  }
  const auto most = std::ranges::max_element(reads, {}, &decltype(reads)::value_type::second);
  if (most == reads.end() || most->second < fewest_reads || most->second * 4 < sum * 3)
    return std::nullopt;
  return most->first;
}

// The one large function that process_main calls and only one other function does.
std::optional<os::Address> find_schedule(const HiddenVm& vm, const elf::NativeSymbols& symbols,
                                         os::Address process_main) {
  const auto calls = elf::DirectCalls::read(vm.image, symbols);
  std::optional<os::Address> found;
  for (const auto& [caller, callee] : calls.pairs()) {
    if (caller != process_main - vm.bias) continue;
    const auto* function = symbols.beginning_at(callee);
    if (function == nullptr || function->range.size() < smallest_schedule) continue;
    if (std::ranges::count(calls.pairs(), callee, &elf::DirectCalls::Pair::callee) !=
        callers_of_schedule)
      continue;
    if (found) return std::nullopt;
    found = callee + vm.bias;
  }
  return found;
}

}  // namespace

CodeGlobals find_interpreter_globals(const HiddenVm& vm) {
  const auto symbols = elf::NativeSymbols::read(vm.image);
  const auto function = find_process_main(vm, symbols);
  if (!function) return {};
  return {function, active_code_index(vm, *function), find_schedule(vm, symbols, function->begin)};
}

}  // namespace beam_exporter::beam
