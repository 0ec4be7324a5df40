#include "attribution/hidden_functions.h"

#include <algorithm>
#include <optional>
#include <set>

namespace beam_exporter::attribution {

namespace {

// garbage_collect is called by erts_garbage_collect, erts_garbage_collect_nobump and
// erts_gc_after_bif_call_lhf (erl_gc.c, OTP 29). The other functions that these call have many more
// callers.
constexpr std::ptrdiff_t fewest_callers = 2, most_callers = 5;

std::set<std::uint64_t> called_by(const elf::DirectCalls& calls, std::uint64_t caller) {
  std::set<std::uint64_t> called;
  for (const auto& pair : calls.pairs())
    if (pair.caller == caller && pair.callee != caller) called.insert(pair.callee);
  return called;
}

std::optional<std::uint64_t> only_one(const std::set<std::uint64_t>& places) {
  return places.size() == 1 ? std::optional(*places.begin()) : std::nullopt;
}

}  // namespace

std::map<std::uint64_t, std::string_view> hidden_functions(const elf::DirectCalls& calls,
                                                           std::uint64_t collecting_bif) {
  // erts_internal_garbage_collect_1 (bif.c, OTP 29) calls nothing else.
  const auto collection = only_one(called_by(calls, collecting_bif));
  if (!collection) return {};
  auto inside = called_by(calls, *collection);
  std::erase_if(inside, [&](std::uint64_t place) {
    const auto callers = std::ranges::count(calls.pairs(), place, &elf::DirectCalls::Pair::callee);
    return callers < fewest_callers || callers > most_callers;
  });
  const auto collector = only_one(inside);
  if (!collector) return {};
  return {{*collection, "erts_garbage_collect"}, {*collector, "garbage_collect"}};
}

}  // namespace beam_exporter::attribution
