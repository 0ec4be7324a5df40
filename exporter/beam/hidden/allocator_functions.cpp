#include "beam/hidden/allocator_functions.h"

#include <array>
#include <optional>

namespace beam_exporter::beam {

namespace {

// ErtsAllocatorFunctions_t, erl_alloc.h (OTP 25 to 29): alloc, realloc, free, extra.
constexpr std::size_t record_words = 4, extra_word = 3;
using Names = std::array<std::string_view, extra_word>;
constexpr Names of_allocators = {"erts_alcu_alloc", "erts_alcu_realloc", "erts_alcu_free"};
constexpr Names of_system = {"erts_sys_alloc", "erts_sys_realloc", "erts_sys_free"};
// ERTS_ALC_A_SYSTEM (erl_alloc.types, OTP 25 to 29): what malloc() gives.
constexpr std::uint64_t system_number = 1;
// Fewer records that point to their counterparts could be there by chance.
constexpr int fewest_records = 3;

class FunctionTable {
 public:
  FunctionTable(const Layout& layout, const StaticData& data)
      : data_(data),
        threads_(data.range("erts_allctr_thr_spec").value_or(os::AddressRange{})),
        stride_(layout.allocators.threads.size) {}

  // The number of the allocator whose record begins at that word, if its `extra` points to the
  // allocator's record in the other table (start_au_allocator in erl_alloc.c).
  std::optional<std::uint64_t> number_at(std::size_t word) const {
    const os::Address extra = data_.words()[word + extra_word];
    if (stride_ == 0 || !threads_.contains(extra) || (extra - threads_.begin) % stride_ != 0)
      return std::nullopt;
    return (extra - threads_.begin) / stride_;
  }
  // The word at which record 0 begins; nullopt when there is no table, or more than one.
  std::optional<std::size_t> begin() const {
    std::map<std::size_t, int> records;
    for (std::size_t word = 0; word + record_words <= data_.words().size(); ++word)
      if (const auto number = number_at(word); number && *number * record_words <= word)
        ++records[word - *number * record_words];
    std::optional<std::size_t> found;
    for (const auto& [word, count] : records) {
      if (count < fewest_records) continue;
      if (found) return std::nullopt;
      found = word;
    }
    return found;
  }
  std::uint64_t records() const { return stride_ == 0 ? 0 : threads_.size() / stride_; }

 private:
  const StaticData& data_;
  os::AddressRange threads_;
  std::uint64_t stride_;
};

}  // namespace

std::map<os::Address, std::string_view> allocator_functions(const Layout& layout,
                                                            const StaticData& data,
                                                            os::AddressRange code) {
  const FunctionTable table(layout, data);
  const auto begin = table.begin();
  if (!begin) return {};
  std::map<os::Address, std::string_view> functions;
  const auto add = [&](std::size_t word, const Names& names) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      const os::Address function = data.words()[word + k];
      if (!code.contains(function)) return false;
      functions.emplace(function, names[k]);
    }
    return true;
  };
  for (std::uint64_t number = 0; number < table.records(); ++number) {
    const std::size_t word = *begin + number * record_words;
    if (word + record_words > data.words().size()) break;
    const bool own = table.number_at(word) == number;
    if (!own && number != system_number) continue;
    if (!add(word, own ? of_allocators : of_system)) return {};
  }
  return functions;
}

}  // namespace beam_exporter::beam
