#include "attribution/copying_functions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace beam_exporter::attribution {

namespace {

// What the functions print: beam/copy.c, the last one beam/erl_db_util.c (OTP 25, 27 and 29).
enum Printer { sizers, copier, calculator, sharers, matcher };
constexpr std::array<std::string_view, 5> texts_of = {
    "size_object: bad tag for %#x\n", "Internal error in copy_struct(): htop, hbot overrun\n",
    "[pid=%T] size_shared: bad tag for %#x\n", "size_shared: bad tag for %#x\n",
    "Internal error: unexpected opcode in match program."};

// Compilers make a second copy of size_object_x for a constant argument.
constexpr std::size_t most_copies_of_size = 2;
// Functions of copy.c that have other names in other releases, or that compilers keep or not.
constexpr std::ptrdiff_t most_others_between = 3;
constexpr std::size_t searched_behind = 2;

using Names = std::map<std::uint64_t, std::string_view>;
using Functions = std::span<const elf::NativeFunction>;

Functions::iterator place_of(Functions functions, std::uint64_t begin) {
  return std::ranges::lower_bound(functions, begin, {},
                                  [](const auto& function) { return function.range.begin; });
}

// size_shared and copy_shared_perform_x print the same text; of the two, the BIF calls size_shared
// only (beam/beam_debug.c: erts_debug_size_shared_1, OTP 25, 27 and 29).
std::optional<std::pair<std::uint64_t, std::uint64_t>> shared(const std::set<std::uint64_t>& two,
                                                              const elf::DirectCalls& calls,
                                                              std::uint64_t sizing_bif) {
  if (two.size() != 2) return std::nullopt;
  const auto first = *two.begin(), second = *two.rbegin();
  const bool sizes_first = calls.calls(sizing_bif, first);
  if (sizes_first == calls.calls(sizing_bif, second)) return std::nullopt;
  return sizes_first ? std::pair(first, second) : std::pair(second, first);
}

bool lie_together(Functions functions, const Names& names) {
  const auto first = place_of(functions, names.begin()->first);
  const auto last = place_of(functions, names.rbegin()->first);
  return last - first < std::ssize(names) + most_others_between;
}

// copy_shallow_x prints nothing and stands behind the others. Match programs (db_prog_match) copy
// terms out of tables with it, and call nothing else that stands there.
std::optional<std::uint64_t> shallow_copier(Functions behind, const elf::DirectCalls& calls,
                                            std::uint64_t match_program) {
  std::optional<std::uint64_t> found;
  for (const auto& function : behind.first(std::min(behind.size(), searched_behind))) {
    if (!calls.calls(match_program, function.range.begin)) continue;
    if (found) return std::nullopt;
    found = function.range.begin;
  }
  return found;
}

}  // namespace

std::map<std::uint64_t, std::string_view> copying_functions(const elf::TextUses& texts,
                                                            const elf::NativeSymbols& symbols,
                                                            const elf::DirectCalls& calls,
                                                            std::uint64_t sizing_bif) {
  std::array<std::set<std::uint64_t>, texts_of.size()> printers;
  for (std::size_t k = 0; k < texts_of.size(); ++k) {
    printers[k] = texts.functions_with(texts_of[k]);
    const std::size_t most = k == sizers ? most_copies_of_size : k == sharers ? 2 : 1;
    if (printers[k].empty() || printers[k].size() > most) return {};
  }
  const auto pair = shared(printers[sharers], calls, sizing_bif);
  if (!pair) return {};
  const auto copy_struct = *printers[copier].begin();
  Names names{{copy_struct, "copy_struct_x"},
              {*printers[calculator].begin(), "copy_shared_calculate"},
              {pair->first, "size_shared"},
              {pair->second, "copy_shared_perform_x"}};
  for (const auto sizer : printers[sizers]) names.emplace(sizer, "size_object_x");
  const Functions functions = symbols.functions();
  if (!lie_together(functions, names)) return {};

  const auto first = place_of(functions, names.begin()->first),
             behind = place_of(functions, names.rbegin()->first) + 1;
  const auto shallow =
      shallow_copier(Functions(behind, functions.end()), calls, *printers[matcher].begin());
  if (!shallow) return {};
  names.emplace(*shallow, "copy_shallow_x");
  const auto next = place_of(functions, *shallow) + 1;
  if (next != functions.end() && calls.calls(next->range.begin, *shallow))
    names.emplace(next->range.begin, "copy_shallow_obj_x");
  for (const auto& between : Functions(first, behind))
    if (calls.calls(between.range.begin, copy_struct))
      names.emplace(between.range.begin, "copy_object_x");
  return names;
}

std::map<std::uint64_t, std::string_view> copies_of_copying_functions(
    const elf::TextUses& texts, const elf::NativeSymbols& symbols) {
  constexpr std::array<std::pair<Printer, std::string_view>, 3> originals = {
      {{sizers, "size_object_x"},
       {copier, "copy_struct_x"},
       {calculator, "copy_shared_calculate"}}};
  Names copies;
  for (const auto& [printer, name] : originals) {
    const auto* original = symbols.named(name);
    const auto users = texts.functions_with(texts_of[printer]);
    if (original == nullptr || !users.contains(original->range.begin)) continue;
    // A function into which the compiler has put the original's code would be larger.
    const auto is_copy = [&](const elf::NativeFunction* user) {
      return user != nullptr && user->names.empty() &&
             user->range.size() <= original->range.size() &&
             user->range.size() * 2 >= original->range.size();
    };
    for (const auto user : users)
      if (is_copy(symbols.beginning_at(user))) copies.emplace(user, name);
  }
  return copies;
}

}  // namespace beam_exporter::attribution
