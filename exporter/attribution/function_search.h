#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "elf/direct_calls.h"
#include "elf/native_symbols.h"
#include "elf/text_uses.h"

namespace beam_exporter::attribution {

// What tells a function of the emulator that has no symbol: it prints this text, it calls all of
// `calls`, and all of `called_by` call it. Empty names are left out.
struct Fingerprint {
  std::string_view name;
  std::string_view prints = {};
  std::array<std::string_view, 3> calls = {};
  std::array<std::string_view, 2> called_by = {};
  std::ptrdiff_t most_callers = std::numeric_limits<std::ptrdiff_t>::max();
};

// Finds functions of one file by their fingerprints, each only if exactly one function fits. Made
// once per file; what it is made of must outlive it. One thread.
class FunctionSearch {
 public:
  using Names = std::map<std::uint64_t, std::string_view>;  // by the address of the first byte

  // `texts`: nullptr where no fingerprint prints. `known`: functions that are known otherwise.
  FunctionSearch(const elf::DirectCalls& calls, const elf::NativeSymbols& symbols,
                 const elf::TextUses* texts = nullptr, Names known = {});

  // A fingerprint may name functions that were known, or found before. A symbol tells more than it.
  void find(const Fingerprint& wanted);

  std::optional<std::uint64_t> place_of(std::string_view name) const;
  Names take() && { return std::move(found_); }  // what was found, without what was known

 private:
  using Places = std::vector<std::uint64_t>;

  std::optional<Places> places_of(std::span<const std::string_view> names) const;

  const elf::DirectCalls& calls_;
  const elf::NativeSymbols& symbols_;
  const elf::TextUses* texts_;
  Names known_, found_;
};

}  // namespace beam_exporter::attribution
